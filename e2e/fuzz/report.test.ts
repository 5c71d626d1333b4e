import { expect, it } from '@jest/globals';
import { describeResults, describeTotal } from './report';

const baseline = { executions: 3_000, ms: 2_000, coveredBlocks: 50, blocks: 200, corpus: 7, findings: [] };
const finding = { kind: 'slow', what: '60 ms for 10 bytes', input: Buffer.alloc(10) } as const;
const results = new Map([
  ['baseline', baseline],
  ['named-list', { ...baseline, executions: 10, findings: [finding] }],
]);

it('has a row for each target, and a line for all', () => {
  expect(describeResults(results).split('\n')).toEqual([
    'target      executions  per second    blocks covered  corpus  findings',
    'baseline          3000        1500  50 of 200 (25 %)       7         0',
    'named-list          10           5  50 of 200 (25 %)       7         1',
  ]);
  expect(describeTotal(results.values())).toBe('3010 executions, 2 targets, 100 of 400 blocks, 1 findings');
});
