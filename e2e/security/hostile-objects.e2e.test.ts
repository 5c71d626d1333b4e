import path from 'node:path';
import { expect, it } from '@jest/globals';
import { runProgram } from '../control-plane/run-program';
import { costTable, type HostileCost } from './hostile-objects';

/** What one object of a tenant may cost. */
const maxBlockMs = 50;
const maxHeapBytes = 5 * 1024 * 1024;

/** The kernel counts the processor's time of one thread, but on a busy machine a turn's caches are cold. */
const patience = process.env['CI'] === 'true' ? 4 : 1;

const timeoutMs = 900_000;

it(
  'no object of a tenant blocks the event loop of the process that watches it, or stays in its heap',
  async () => {
    // Not in here: the simulated server is several times slower under jest.
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
