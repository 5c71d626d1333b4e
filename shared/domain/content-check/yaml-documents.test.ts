import { expect, it } from '@jest/globals';
import { NestingError } from './document-node';
import { composeYaml } from './yaml-documents';

it('does not read on behind what is nested too deeply', () => {
  const lines: number[] = [];
  const text = `[\n${'['.repeat(300)}\n${'[\n'.repeat(1_000)}`;
  const read = () => composeYaml(text, { onLine: (offset) => lines.push(offset) });
  expect(read).toThrow(NestingError);
  expect(lines).toEqual([0, 2]);
});
