import type { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { applyStep } from './apply-step';
import { leafNames } from './certificate-names';
import { dayMs, names, preparedKeyPairs, testIssuer } from './issuing.fixture';
import { bundleOf, phaseOf, type Material } from './material';
import { nextStep, type LiveState, type Step } from './rotation';
import { decodeMaterial, encodeMaterial, nothingStored, type StoredMaterial } from './secret-data';
import { readBundle } from '../shared/runtime/tls/certificate-bundle';
import { fingerprintsOf, isSignedBy } from './trusted-certificate';

const startMs = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const keyPairs = preparedKeyPairs(7);

async function after(step: Step, stored: StoredMaterial, nowMs: number): Promise<Material> {
  if (step.do === 'nothing' || step.do === 'wait') throw new Error(`nothing to carry out: ${step.do}`);
  return await applyStep(step, stored, testIssuer(nowMs, keyPairs));
}

/** As another keeper reads it from the Secret. */
function stored(material: Material): StoredMaterial {
  return decodeMaterial(encodeMaterial(material, {}), names);
}

function live(...bundles: readonly string[]): LiveState {
  return { bundles: bundles.map(fingerprintsOf), leaves: new Set() };
}

/** Everything has been published. */
function published(material: Material): LiveState {
  const leaves = leafNames.map((leaf) => material.leaves[leaf].fingerprint);
  return { ...live(bundleOf(material)), leaves: new Set(leaves) };
}

const dueMs = startMs + 245 * dayMs;

/** The first CA, with leaves of day 200. */
let fresh: Material;
/** The first CA, with leaves of day 240, and a next CA of day 245. */
let overlap: Material;

beforeAll(async () => {
  const created = await after({ do: 'create', because: 'test' }, nothingStored, startMs);
  const renew = { do: 'renew-leaves', ca: created.ca, leaves: leafNames, because: 'test' } as const;
  fresh = await after(renew, stored(created), startMs + 200 * dayMs);
  const material = { ...(await after(renew, stored(created), startMs + 240 * dayMs)), sinceMs: dueMs };
  overlap = await after({ do: 'begin-overlap', material, because: 'test' }, stored(created), dueMs);
});

describe('nextStep', () => {
  it('creates everything if there is nothing', () => {
    expect(nextStep(nothingStored, live(), startMs)).toEqual({
      do: 'create',
      because: 'there are no certificates yet',
    });
  });

  it('does nothing while all is young', async () => {
    const created = await after({ do: 'create', because: 'test' }, nothingStored, startMs);
    expect(nextStep(stored(created), live(created.ca.cert), startMs + 19 * dayMs).do).toBe('nothing');
  });

  it('renews a leaf when a third of its life is left, and that leaf only', async () => {
    const younger = { do: 'renew-leaves', ca: fresh.ca, leaves: ['client'], because: 'test' } as const;
    const mixed = await after(younger, stored(fresh), startMs + 210 * dayMs);
    const nowMs = startMs + 221 * dayMs;
    const step = nextStep(stored(mixed), live(fresh.ca.cert), nowMs);
    expect(step).toMatchObject({ do: 'renew-leaves', leaves: ['webhook', 'channel'] });
    const next = await after(step, stored(mixed), nowMs);
    expect(next.leaves.client).toEqual(mixed.leaves.client);
    expect(next.leaves.webhook.fingerprint).not.toBe(mixed.leaves.webhook.fingerprint);
  });

  it('begins an overlap when a third of the life of the CA is left', async () => {
    const youngLeaves = { do: 'renew-leaves', ca: fresh.ca, leaves: leafNames, because: 'test' } as const;
    const young = await after(youngLeaves, stored(fresh), startMs + 240 * dayMs);
    expect(nextStep(stored(young), live(fresh.ca.cert), startMs + 243 * dayMs).do).toBe('nothing');
    expect(nextStep(stored(young), live(fresh.ca.cert), startMs + 244 * dayMs).do).toBe('begin-overlap');
  });

  it.each([
    ['too early', 59_000, (): LiveState => live(bundleOf(overlap)), 'wait'],
    ['in time', 60_000, (): LiveState => live(bundleOf(overlap)), 'switch'],
    ['with nothing registered', 60_000, (): LiveState => live(), 'switch'],
    [
      'while a caBundle or the published Secret cannot be read',
      600_000,
      (): LiveState | undefined => undefined,
      'wait',
    ],
    ['before a caBundle is injected', 4_000, (): LiveState => live(overlap.ca.cert), 'wait'],
    ['with a caBundle that somebody overwrote', 6_000, (): LiveState => live(overlap.ca.cert), 'restart-wait'],
    [
      'with one of two caBundles behind',
      60_000,
      (): LiveState => live(bundleOf(overlap), overlap.ca.cert),
      'restart-wait',
    ],
  ] as const)('lets the next CA sign or not: %s', (_when, ageMs, bundles, step) => {
    expect(nextStep(stored(overlap), bundles(), dueMs + ageMs).do).toBe(step);
  });

  it('renews leaves also while an overlap is delayed', () => {
    expect(nextStep(stored(overlap), undefined, dueMs + 20 * dayMs)).toMatchObject({
      do: 'renew-leaves',
      ca: { fingerprint: overlap.ca.fingerprint },
    });
  });

  it('does not repeatedly renew a leaf that expires with its CA', async () => {
    const renew = { do: 'renew-leaves', ca: overlap.ca, leaves: leafNames, because: 'test' } as const;
    const last = await after(renew, stored(overlap), startMs + 350 * dayMs);
    expect(last.leaves.webhook.notAfterMs).toBe(last.ca.notAfterMs);
    expect(nextStep(stored(last), undefined, startMs + 362 * dayMs).do).toBe('wait');
  });

  it('drops the old CA ten minutes after its last leaf was replaced', async () => {
    const switched = await after(
      nextStep(stored(overlap), live(), dueMs + minuteMs),
      stored(overlap),
      dueMs + minuteMs,
    );
    expect(phaseOf(switched)).toBe('retiring');
    expect(switched.generation).toBe(overlap.generation + 1);
    expect(bundleOf(switched)).toBe(switched.ca.cert + overlap.ca.cert);
    expect(nextStep(stored(switched), published(switched), dueMs + 10 * minuteMs).do).toBe('wait');
    const step = nextStep(stored(switched), published(switched), dueMs + 11 * minuteMs);
    expect(step.do).toBe('retire');
    expect(bundleOf(await after(step, stored(switched), dueMs + 11 * minuteMs))).toBe(switched.ca.cert);
  });

  it.each([
    ['before it is published', 4_000, (): LiveState => published(overlap), 'wait'],
    ['while the old one is still published', 6_000, (): LiveState => published(overlap), 'restart-wait'],
    ['although the old one is still published', 600_000, (): LiveState => published(overlap), 'restart-wait'],
    ['while the published Secret cannot be read', 600_000, (): LiveState | undefined => undefined, 'wait'],
  ] as const)('does not drop the old CA %s', async (_when, ageMs, live, step) => {
    const nowMs = dueMs + minuteMs;
    const switched = await after(nextStep(stored(overlap), published(overlap), nowMs), stored(overlap), nowMs);
    expect(nextStep(stored(switched), live(), nowMs + ageMs).do).toBe(step);
  });

  it('waits longer, never shorter, when the clock is set back', () => {
    expect(nextStep(stored(overlap), live(bundleOf(overlap)), dueMs - 5 * minuteMs).do).toBe('wait');
  });

  it('restarts a wait that began in the future', () => {
    const ahead = stored({ ...overlap, sinceMs: dueMs + dayMs });
    expect(nextStep(ahead, live(bundleOf(overlap)), dueMs).do).toBe('tidy');
  });

  it('creates a new CA at once when the old one has expired, or lets the next one sign if there is one', () => {
    const endMs = startMs + 366 * dayMs;
    expect(nextStep(stored(fresh), live(fresh.ca.cert), endMs)).toMatchObject({ do: 'create' });
    expect(nextStep(stored(overlap), undefined, endMs)).toMatchObject({ do: 'switch' });
  });
});

describe('two years, rotations minute by minute', () => {
  it('never serve a certificate that some API server does not trust, and never let one expire', async () => {
    const created = stored(await after({ do: 'create', because: 'test' }, nothingStored, startMs));
    let now = { secret: created, bundle: bundleOf(created as Material) };
    /** The state that the slowest API server and the slowest replica see: a minute behind. */
    let behind = now;
    let heard = published(created as Material);
    const steps: string[] = [];
    const check = (): void => {
      for (const { secret } of [now, behind]) {
        const [leaf] = readBundle(secret.leaves.webhook?.cert ?? '');
        for (const { bundle } of [now, behind]) {
          expect(readBundle(bundle).some((ca) => isSignedBy(leaf as X509Certificate, ca))).toBe(true);
        }
      }
    };
    let restMs: number;
    for (let nowMs = startMs; nowMs < startMs + 2 * 365 * dayMs; nowMs += restMs) {
      if ((now.secret.leaves.webhook?.notAfterMs ?? 0) <= nowMs) throw new Error('the certificate has ended');
      const step = nextStep(now.secret, heard, nowMs);
      behind = now;
      restMs = step.do === 'nothing' ? 15 * minuteMs : minuteMs;
      if (step.do === 'nothing' || step.do === 'wait') continue;
      steps.push(step.do);
      const secret = stored(await after(step, now.secret, nowMs));
      now = { secret, bundle: bundleOf(secret as Material) };
      heard = published(secret as Material);
      check();
    }
    const count = (name: string): number => steps.filter((step) => step === name).length;
    // A CA is used for eight months of its twelve, a leaf for twenty days of its thirty.
    expect(['begin-overlap', 'switch', 'retire'].map(count)).toEqual([2, 2, 2]);
    expect(count('renew-leaves')).toBeGreaterThan(30);
    expect(count('renew-leaves')).toBeLessThan(40);
    expect(steps).toHaveLength(count('renew-leaves') + 6);
    expect(now.secret.generation).toBe(3);
  }, 60_000);
});
