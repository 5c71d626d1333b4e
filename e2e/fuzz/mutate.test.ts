import { describe, expect, it } from '@jest/globals';
import { Draw } from '../simulation/draw';
import { envelope } from '../../shared/kube/wire/protobuf.fixture';
import { openEnvelope } from '../../shared/kube/wire/protobuf-envelope';
import { mutate } from './mutate';
import { mutateJson } from './mutate-json';
import { mutateProtobuf } from './mutate-protobuf';
import type { Mutator } from './mutator';
import { protobufSecret } from './protobuf-samples';
import { json, sampleDeployment } from './samples';

const document = Buffer.from(json(sampleDeployment));

function mutator(seed: number, maxBytes = 64 * 1024): Mutator {
  return { draw: new Draw(seed), dictionary: ['word'], other: () => document, maxBytes };
}

const seeds = Array.from({ length: 300 }, (_, seed) => seed);

describe('a mutation', () => {
  it('is the same with the same seed, and mostly another with another', () => {
    const changed = seeds.map((seed) => mutate(document, undefined, mutator(seed)).toString('latin1'));
    expect(seeds.map((seed) => mutate(document, undefined, mutator(seed)).toString('latin1'))).toEqual(changed);
    expect(new Set(changed).size).toBeGreaterThan(250);
  });

  it('leaves the input as it is, and keeps to the largest size', () => {
    const before = document.toString();
    for (const seed of seeds)
      expect(mutate(document, undefined, mutator(seed, 5_000)).length).toBeLessThanOrEqual(5_000);
    expect(document.toString()).toBe(before);
  });

  it('goes on from nothing', () => {
    const changed = seeds.map((seed) => mutate(Buffer.alloc(0), undefined, mutator(seed)).length);
    expect(Math.max(...changed)).toBeGreaterThan(0);
  });

  it('of JSON is JSON', () => {
    for (const seed of seeds) {
      const changed = mutateJson(document, mutator(seed));
      if (changed) expect(() => JSON.parse(changed.toString()) as unknown).not.toThrow();
    }
    expect(mutateJson(Buffer.from('{'), mutator(1))).toBeUndefined();
  });

  it('of a protobuf message leaves the lengths around it right', () => {
    const enveloped = envelope(protobufSecret);
    const opened = seeds.filter((seed) => {
      try {
        return openEnvelope(mutateProtobuf(enveloped, mutator(seed)) ?? Buffer.alloc(0)).length > 0;
      } catch {
        return false;
      }
    });
    expect(opened.length).toBeGreaterThan(200);
    expect(mutateProtobuf(Buffer.from([0xff]), mutator(1))).toBeUndefined();
  });
});
