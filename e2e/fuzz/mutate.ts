import { mutateBytes } from './mutate-bytes';
import { mutateJson } from './mutate-json';
import { mutateProtobuf } from './mutate-protobuf';
import type { Mutator } from './mutator';
import type { Target } from './target';

/** Makes one to five changes on top of each other: some bugs need two changes at once. */
export function mutate(input: Buffer, format: Target['format'], mutator: Mutator): Buffer {
  let changed = input;
  for (let times = mutator.draw.pick([1, 1, 1, 2, 2, 3, 5]); times > 0; times--) {
    changed = structured(changed, format, mutator) ?? mutateBytes(changed, mutator);
  }
  return changed;
}

function structured(input: Buffer, format: Target['format'], mutator: Mutator): Buffer | undefined {
  // Sometimes mutate plain bytes, to break what structured mutations keep valid.
  if (mutator.draw.chance(0.15)) return undefined;
  if (format === 'protobuf') return mutateProtobuf(input, mutator);
  const first = input[0];
  return first === 0x7b || first === 0x5b ? mutateJson(input, mutator) : undefined;
}
