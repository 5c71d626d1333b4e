import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyStep } from './apply-step';
import { dayMs, names, preparedKeyPairs, testIssuer } from './issuing.fixture';
import { bundleOf, type Material } from './material';
import { nextStep } from './rotation';
import { decodeMaterial, encodeMaterial, nothingStored } from './secret-data';

const nowMs = Date.UTC(2026, 0, 1);
const issuer = testIssuer(nowMs, preparedKeyPairs(9));
const base64 = (text: string): string => Buffer.from(text).toString('base64');

let material: Material;
let foreign: Material;
let data: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  const created = await applyStep({ do: 'create', because: 'test' }, nothingStored, issuer);
  material = await applyStep({ do: 'begin-overlap', material: created, because: 'test' }, nothingStored, issuer);
  foreign = await applyStep({ do: 'create', because: 'test' }, nothingStored, issuer);
  data = encodeMaterial(material, {});
});

describe('the Secret', () => {
  it('returns what was stored', () => {
    expect(decodeMaterial(data, names)).toEqual({ ...material, problems: [] });
  });

  it('shows the phase of the rotation in plain text, without a key', () => {
    const state = Buffer.from(String(data['state.json']), 'base64').toString();
    expect(JSON.parse(state)).toEqual({ v: 1, generation: 1, phase: 'overlap', since: '2026-01-01T00:00:00.000Z' });
    expect(Buffer.from(String(data['ca.crt']), 'base64').toString()).toBe(bundleOf(material));
  });

  it('keeps the keys of others and takes back its own', () => {
    const after = encodeMaterial({ ...material, nextCa: undefined }, { ...data, 'their.key': 'eA==' });
    expect(after['their.key']).toBe('eA==');
    expect(Object.keys(after)).not.toContain('next-ca.key');
  });

  it.each([
    ['undefined', undefined],
    ['empty', {}],
    ['of others', { 'their.key': 'eA==' }],
  ])('with data that is %s is empty, which is not a problem', (_what, data) => {
    expect(decodeMaterial(data, names)).toEqual(nothingStored);
  });
});

describe('a Secret that was damaged', () => {
  it.each([
    ['state.json', 'garbage', '"state.json" is unreadable', 'tidy'],
    ['state.json', '{"generation":-1,"since":"now"}', '"state.json" is unreadable', 'tidy'],
    ['ca.crt', 'garbage', '"ca.key" is not the key of a CA in "ca.crt"', 'switch'],
    ['ca.key', '', '"ca.key" is not the key of a CA in "ca.crt"', 'switch'],
    ['next-ca.key', 'garbage', '"next-ca.key" is not the key of a CA in "next-ca.crt"', 'tidy'],
    ['webhook.crt', 'garbage', '"webhook.crt" holds no certificate', 'renew-leaves'],
    ['webhook.key', 'garbage', '"webhook.key" is not the key of "webhook.crt"', 'renew-leaves'],
    ['client.crt', undefined, '"client.crt" holds no certificate', 'renew-leaves'],
  ] as const)('in %s is named and mended (%s)', (key, text, problem, step) => {
    const decoded = decodeMaterial({ ...data, [key]: text === undefined ? undefined : base64(text) }, names);
    expect(decoded.problems).toContain(problem);
    expect(nextStep(decoded, undefined, nowMs)).toMatchObject({ do: step, because: problem });
  });

  it('keeps trusting the CAs whose key is lost', () => {
    const { retired, nextCa } = decodeMaterial({ ...data, 'ca.key': 'eA==' }, names);
    expect(retired.map(({ fingerprint }) => fingerprint)).toEqual([material.ca.fingerprint]);
    expect(nextCa?.fingerprint).toBe(material.nextCa?.fingerprint);
  });

  it('does not accept a leaf of another CA, of another purpose, or for another Service', () => {
    const taken = encodeMaterial(foreign, {});
    const swapped = { ...data, 'webhook.crt': taken['webhook.crt'], 'webhook.key': taken['webhook.key'] };
    expect(decodeMaterial(swapped, names).problems).toEqual(['"webhook.crt" is not signed by the CA']);
    const confused = { ...data, 'client.crt': data['channel.crt'], 'client.key': data['channel.key'] };
    expect(decodeMaterial(confused, names).problems).toEqual(['"client.crt" is not for reroll-webhook.reroll.client']);
    expect(decodeMaterial(data, { ...names, webhookService: 'other' }).problems).toEqual([
      '"webhook.crt" is not for other.reroll.svc',
    ]);
  });

  it('with more CAs than we write is read in part, and the one that signs is found in it', () => {
    const flooded = base64(material.ca.cert + foreign.ca.cert.repeat(500));
    const { ca, retired } = decodeMaterial({ ...data, 'ca.crt': flooded }, names);
    expect(ca?.fingerprint).toBe(material.ca.fingerprint);
    expect(retired).toHaveLength(31);
  });

  it('never causes an exception, whatever it holds, and is never quoted', () => {
    const keys = Object.keys(data);
    const damage = fc.dictionary(
      fc.constantFrom(...keys, 'x'),
      fc.oneof(fc.string(), fc.base64String(), fc.anything()),
    );
    fc.assert(
      fc.property(damage, (damaged) => {
        const decoded = decodeMaterial({ ...data, ...damaged }, names);
        expect(nextStep(decoded, undefined, nowMs + dayMs).do).toBeDefined();
        for (const problem of decoded.problems) expect(problem.length).toBeLessThan(100);
      }),
      { numRuns: 300 },
    );
  });
});
