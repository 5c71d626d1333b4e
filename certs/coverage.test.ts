import { beforeAll, describe, expect, it } from '@jest/globals';
import { issueAuthority, issueLeaf, type CertificatePair, type LeafRequest } from './certificate';
import { coverageProblem } from './coverage';
import { dayMs, preparedKeyPairs, testIssuer } from './issuing.fixture';

const nowMs = Date.UTC(2026, 0, 1);
const host = 'reroll-webhook.reroll.svc';
const issuer = testIssuer(nowMs, preparedKeyPairs(3));

let ca: CertificatePair;
let otherCa: CertificatePair;

async function leaf(request: Partial<LeafRequest> = {}, authority = ca): Promise<string> {
  const defaults: LeafRequest = { commonName: host, dnsNames: [host], usage: 'serverAuth', nowMs, lifeMs: dayMs };
  return (await issueLeaf(issuer, authority, { ...defaults, ...request })).cert;
}

beforeAll(async () => {
  ca = await issueAuthority(issuer, { commonName: 'reroll-ca-1', nowMs, lifeMs: 2 * dayMs });
  otherCa = await issueAuthority(issuer, { commonName: 'reroll-ca-2', nowMs, lifeMs: 2 * dayMs });
});

describe('coverageProblem', () => {
  it('finds none if a CA in the bundle has signed', async () => {
    expect(coverageProblem(await leaf(), ca.cert, host, nowMs)).toBeUndefined();
    expect(coverageProblem(await leaf(), otherCa.cert + ca.cert, host, nowMs)).toBeUndefined();
  });

  it.each([
    ['another CA', async () => [await leaf(), otherCa.cert], 'does not hold the CA'],
    ['an empty bundle', async () => [await leaf(), ''], 'holds no certificate'],
    ['garbage for a bundle', async () => [await leaf(), 'Cg=='], 'holds no certificate'],
    ['garbage as a certificate', async () => ['Cg==', ca.cert], 'is unreadable'],
    ['a name in the common name alone', async () => [await leaf({ dnsNames: ['x.svc'] }), ca.cert], `not for ${host}`],
    ['a client certificate', async () => [await leaf({ usage: 'clientAuth' }), ca.cert], 'is not for servers'],
  ] as const)('names %s', async (_what, input, problem) => {
    const [cert, bundle] = (await input()) as [string, string];
    expect(coverageProblem(cert, bundle, host, nowMs)).toContain(problem);
  });

  it('uses the given time', async () => {
    expect(coverageProblem(await leaf(), ca.cert, host, nowMs + 2 * dayMs)).toContain('only');
    expect(coverageProblem(await leaf(), ca.cert, host, nowMs - dayMs)).toContain('only');
    const early = await issueAuthority(issuer, { commonName: 'early', nowMs: nowMs - 5 * dayMs, lifeMs: dayMs });
    const ahead = await leaf({ nowMs: nowMs - 5 * dayMs }, early);
    expect(coverageProblem(ahead, early.cert, host, nowMs - 4.5 * dayMs)).toBeUndefined();
  });
});
