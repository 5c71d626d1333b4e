import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import forge from 'node-forge';
import { applyStep } from './apply-step';
import { dayMs, names, preparedKeyPairs, testIssuer } from './issuing.fixture';
import { bundleOf, type Material } from './material';
import { nextStep, type ChangingStep } from './rotation';
import { decodeMaterial, encodeMaterial, nothingStored } from './secret-data';

const nowMs = Date.UTC(2026, 0, 1);
const issuer = testIssuer(nowMs, preparedKeyPairs(9));
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A CA with an elliptic key, valid from November 2026 on. */
const ellipticCa = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBZDCCAQqgAwIBAgIUGsCLy8Cy53BhXsq289OXlVkXd74wCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEYWNtZTAgFw0yNjExMzAwMTA1NDFaGA8yMTI2MTEwNjAxMDU0
MVowDzENMAsGA1UEAwwEYWNtZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABA3q
xo5XYMXrxpA6SzOVNoRtbn9m/ybLCq9H22hNowlaOlVmZbMNbE9lhFM8Njb1JA7n
ipiY80Umro+2VsEJccSjQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQD
AgIEMB0GA1UdDgQWBBSk5TpJCYaRDnivLkMzJygF0xnSUjAKBggqhkjOPQQDAgNI
ADBFAiApFeywqa0BJGRz6pR/lRTlEoIbHJBrt2ejLCVWasIerwIhAI+qqER1QFjO
aiHRZJ2kzdIw50IlRu64uBI4mNxcWDQ3
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgT3leE5fDYK3S+77C
xXul4zrnbRDojlGmq5z93PQaH8GhRANCAAQN6saOV2DF68aQOkszlTaEbW5/Zv8m
ywqvR9toTaMJWjpVZmWzDWxPZYRTPDY29SQO54qYmPNFJq6PtlbBCXHE
-----END PRIVATE KEY-----
`,
};

/** A CA with our key, and a key identifier that is no SHA-1 of it: any is allowed. */
function caOfOthers(): string {
  const certificate = forge.pki.certificateFromPem(material.ca.cert);
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: true },
    { id: forge.pki.oids['subjectKeyIdentifier'], value: '\x04\x04acme' },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(material.ca.key), forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}

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
    ['ca.crt', 'garbage', '"ca.key" is not the RSA key of a CA in "ca.crt"', 'switch'],
    ['ca.key', '', '"ca.key" is not the RSA key of a CA in "ca.crt"', 'switch'],
    ['next-ca.key', 'garbage', '"next-ca.key" is not the RSA key of a CA in "next-ca.crt"', 'tidy'],
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

  it('with a CA that has no RSA key gets another one', async () => {
    const later = testIssuer(Date.UTC(2027, 0, 1), preparedKeyPairs(4));
    const elliptic = {
      'state.json': data['state.json'],
      'ca.crt': base64(ellipticCa.cert),
      'ca.key': base64(ellipticCa.key),
    };
    const decoded = decodeMaterial(elliptic, names);
    const step = nextStep(decoded, undefined, later.nowMs);
    expect(step).toMatchObject({ do: 'create', because: '"ca.key" is not the RSA key of a CA in "ca.crt"' });
    const mended = await applyStep(step as ChangingStep, decoded, later);
    expect(decodeMaterial(encodeMaterial(mended, {}), names).problems).toEqual([]);
    expect(bundleOf(mended)).toBe(mended.ca.cert + ellipticCa.cert);
  });

  it('with a CA that others have made, by another key identifier, gets leaves of that CA', async () => {
    const decoded = decodeMaterial({ ...data, 'ca.crt': base64(caOfOthers()) }, names);
    const step = nextStep(decoded, undefined, nowMs);
    expect(step).toMatchObject({ do: 'renew-leaves' });
    const renewed = await applyStep(step as ChangingStep, decoded, issuer);
    expect(renewed.ca.fingerprint).toBe(decoded.ca?.fingerprint);
    expect(decodeMaterial(encodeMaterial(renewed, {}), names).problems).toEqual([]);
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
