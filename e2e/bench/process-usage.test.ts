import { expect, it } from '@jest/globals';
import { parseUsage, processUsage } from './process-usage';

it('reads memory and time, whatever the process is called', () => {
  const status = 'Name:\tnode\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\n';
  const stat = '42 (a) (b) c) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 7 0 100 1000 20';
  expect(parseUsage(status, stat)).toEqual({
    residentBytes: 1024 * 1024,
    peakResidentBytes: 2 * 1024 * 1024,
    cpuSeconds: 3,
  });
});

it('reads those of a process that runs', () => {
  const { residentBytes, peakResidentBytes, cpuSeconds } = processUsage(process.pid);
  expect(residentBytes).toBeGreaterThan(1024 * 1024);
  expect(peakResidentBytes).toBeGreaterThanOrEqual(residentBytes);
  expect(cpuSeconds).toBeGreaterThan(0);
});
