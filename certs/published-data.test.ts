import { beforeAll, describe, expect, it } from '@jest/globals';
import { applyStep } from './apply-step';
import { leafNames } from './certificate-names';
import { names, preparedKeyPairs, testIssuer } from './issuing.fixture';
import type { Material } from './material';
import { initialMaterial, decodePublished, encodePublished, isPublished } from './published-data';
import { encodeMaterial, nothingStored } from './secret-data';

const issuer = testIssuer(Date.UTC(2026, 0, 1), preparedKeyPairs(9));

let material: Material;
let data: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  const created = await applyStep({ do: 'create', because: 'test' }, nothingStored, issuer);
  material = await applyStep({ do: 'begin-overlap', material: created, because: 'test' }, nothingStored, issuer);
  data = encodePublished(material, {});
});

describe('the published Secret', () => {
  it('has bundle and leaves, and no key of a CA', () => {
    const leaves = leafNames.flatMap((leaf) => [`${leaf}.crt`, `${leaf}.key`]);
    expect(Object.keys(data).sort()).toEqual(['ca.crt', ...leaves].sort());
    const text = Object.values(data)
      .map((value) => Buffer.from(String(value), 'base64').toString())
      .join();
    expect(text).not.toContain(material.ca.key);
    expect(text).not.toContain(material.nextCa?.key);
  });

  it('returns the bundle and leaves that API servers and replicas use', () => {
    expect(decodePublished(data)).toEqual({
      bundle: new Set([material.ca.fingerprint, material.nextCa?.fingerprint]),
      leaves: new Set(leafNames.map((leaf) => material.leaves[leaf].fingerprint)),
    });
    expect(decodePublished(undefined)).toEqual({ bundle: new Set(), leaves: new Set() });
  });

  it.each<[string, () => unknown, boolean]>([
    ['what was put in', () => data, true],
    ['keys of others beside it', () => ({ ...data, 'their.key': 'eA==' }), true],
    ['another bundle', () => ({ ...data, 'ca.crt': 'eA==' }), false],
    ['a key of a CA beside it', () => ({ ...data, 'ca.key': 'eA==' }), false],
    ['all of the other Secret', () => encodeMaterial(material, {}), false],
    ['a missing leaf', () => ({ ...data, 'client.key': undefined }), false],
    ['nothing', () => undefined, false],
  ])('with %s is up to date: %s', (_what, data, expected) => {
    expect(isPublished(material, data())).toBe(expected);
  });

  it('loses a key of a CA that was in it, and keeps keys of others', () => {
    const before = { ...encodeMaterial(material, {}), 'their.key': 'eA==' };
    const after = encodePublished(material, before);
    expect(isPublished(material, after)).toBe(true);
    expect(after['their.key']).toBe('eA==');
  });
});

describe('an empty Secret of the CA', () => {
  it('starts a new CA, and published certificates without a CA key are not trusted', () => {
    expect(initialMaterial(data, names)).toBe(nothingStored);
    expect(initialMaterial(undefined, names)).toBe(nothingStored);
  });

  it('of an install with everything in one Secret: its CAs are trusted for a while, and their keys are not reused', () => {
    const { ca, nextCa, retired, problems, generation } = initialMaterial(encodeMaterial(material, {}), names);
    expect([ca, nextCa, generation]).toEqual([undefined, undefined, 1]);
    expect(retired.map(({ fingerprint }) => fingerprint)).toEqual([
      material.ca.fingerprint,
      material.nextCa?.fingerprint,
    ]);
    expect(problems).toEqual(['the key of the CA was in the Secret reroll-certs, which others read']);
  });
});
