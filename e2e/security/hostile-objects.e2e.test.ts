import path from 'node:path';
import { expect, it } from '@jest/globals';
import { runProgram } from '../control-plane/run-program';
import { costTable, type HostileCost } from './hostile-objects';

/** The limits for one object of a tenant. */
const maxBlockMs = 50;
const maxHeapBytes = 5 * 1024 * 1024;

/** CPU time is counted for one thread only, but on a busy machine cold caches make a turn slower. */
const patience = process.env['CI'] === 'true' ? 4 : 1;

const timeoutMs = 900_000;

it(
  'no object of a tenant blocks the event loop of the process that watches it, or stays in its heap',
  async () => {
    // In another process, because the simulated server is several times slower under jest.
    const args = ['--import', 'tsx', path.join(__dirname, 'hostile-objects.ts'), '--json'];
    const costs = JSON.parse(await runProgram(process.execPath, args, { timeoutMs })) as readonly HostileCost[];
    process.stdout.write(`${costTable(costs)}\n`);
    expect(costs.length).toBeGreaterThan(15);
    expect(costs.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(costs.filter(({ longestMs }) => !(longestMs < maxBlockMs * patience))).toEqual([]);
    expect(costs.filter(({ heapBytes }) => !(heapBytes < maxHeapBytes))).toEqual([]);
  },
  timeoutMs,
);
