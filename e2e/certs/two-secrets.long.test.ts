import { describe, expect, it } from '@jest/globals';
import { webhookHost } from '../../certs/certificate-names';
import { coverageProblem } from '../../certs/coverage';
import { names } from '../../certs/issuing.fixture';
import { encodeMaterial } from '../../certs/secret-data';
import type { Material } from '../../certs/material';
import type { Transport } from '../../shared/kube/transport';
import { CertsWorld, type RunningKeeper } from './certs.fixture';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const lifetimes = { caLifeMs: 3 * hourMs, leafLifeMs: hourMs };

async function installed(): Promise<{ readonly world: CertsWorld; readonly first: RunningKeeper }> {
  const world = new CertsWorld();
  world.register();
  const first = world.keeper({ lifetimes });
  await first.keeper.keep();
  return { world, first };
}

/** Why the API server would reject a certificate now; undefined if it would not. */
async function problemOf(world: CertsWorld, leaf: string | undefined): Promise<string | undefined> {
  const [, caBundle] = await world.caBundles();
  return coverageProblem(leaf ?? '', caBundle ?? '', webhookHost(names), world.clock.nowMs());
}

/** A keeper that cannot write the published Secret. */
function withoutPublishing(real: Transport): Transport {
  return {
    send: async (request) => {
      if (request.method === 'PUT' && request.path.includes('reroll-certs')) throw new Error('held back');
      return await real.send(request);
    },
  };
}

describe('the published Secret', () => {
  it('is one of the bundles that must have held the next CA before it signs', async () => {
    const { world } = await installed();
    await world.clock.advance(2 * hourMs);
    const { keeper } = world.keeper({ lifetimes }, withoutPublishing);
    for (let minute = 0; minute < 10; minute += 1) {
      await expect(keeper.keep()).rejects.toThrow('new replicas have none');
      await world.clock.advance(minuteMs);
    }
    const held = await world.material();
    expect(held).toMatchObject({ generation: 1, nextCa: expect.anything() as unknown });
    expect((await world.caBundles())[1]).toContain(held.nextCa?.cert);
    expect(await world.published('ca.crt')).not.toContain(held.nextCa?.cert);
    // The minute begins once the next CA is published.
    const { keeper: other } = world.keeper({ lifetimes });
    await other.keep();
    expect(await world.published('ca.crt')).toContain(held.nextCa?.cert);
    await world.clock.advance(minuteMs - 1_000);
    await other.keep();
    expect((await world.material()).generation).toBe(1);
    await world.clock.advance(2_000);
    await other.keep();
    expect((await world.material()).generation).toBe(2);
  });

  it('must have held the new certificates for ten minutes before the old CA is dropped', async () => {
    const { world } = await installed();
    await world.clock.advance(2 * hourMs);
    const { keeper } = world.keeper({ lifetimes });
    await keeper.keep();
    await world.clock.advance(minuteMs + 1_000);
    const { keeper: hindered } = world.keeper({ lifetimes }, withoutPublishing);
    await expect(hindered.keep()).rejects.toThrow('held back');
    const old = await world.published('webhook.crt');
    expect((await world.material()).generation).toBe(2);
    for (let minute = 0; minute < 15; minute += 1) {
      await world.clock.advance(minuteMs);
      await expect(hindered.keep()).rejects.toThrow('held back');
      expect(await problemOf(world, old)).toBeUndefined();
    }
    await keeper.keep();
    await world.clock.advance(9 * minuteMs);
    await keeper.keep();
    expect(await problemOf(world, old)).toBeUndefined();
    await world.clock.advance(2 * minuteMs);
    await keeper.keep();
    expect(await problemOf(world, old)).toContain('does not hold the CA');
  });

  it('that was emptied is filled again from that of the CA, and nothing else happens', async () => {
    const { world, first } = await installed();
    const before = [await world.published('ca.crt'), await world.published('webhook.key')];
    await world.patchSecret('reroll-certs', null);
    expect(await world.published('ca.crt')).toBeUndefined();
    await first.keeper.keep();
    expect([await world.published('ca.crt'), await world.published('webhook.key')]).toEqual(before);
    expect((await world.material()).generation).toBe(1);
  });

  it('that another keeper has written meanwhile is not written over', async () => {
    const { world } = await installed();
    await world.patchSecret('reroll-certs', null);
    let resume: () => void = () => undefined;
    const slow = world.keeper({ lifetimes }, (real) => ({
      send: async (request) => {
        if (request.method === 'PUT') await new Promise<void>((resolve) => (resume = resolve));
        return await real.send(request);
      },
    }));
    const keeping = slow.keeper.keep();
    await world.clock.settle();
    // A jump moves only the wall clock: advancing would fire the timer that ends the held request.
    world.clock.jump(2 * hourMs);
    await world.keeper({ lifetimes }).keeper.keep();
    const { nextCa } = await world.material();
    resume();
    await keeping;
    expect(world.writes()).toContain('update secrets/reroll-certs 409');
    expect(await world.published('ca.crt')).toContain(nextCa?.cert);
  });
});

describe('after a leak', () => {
  it('an emptied reroll-ca makes a new CA with new keys, published and injected at once; the old one is not trusted', async () => {
    const { world, first } = await installed();
    const [leaf, key] = [await world.published('webhook.crt'), await world.published('webhook.key')];
    const { ca } = await world.material();
    await world.patchSecret('reroll-ca', null);
    await first.keeper.keep();
    const renewed = await world.material();
    expect(renewed.problems).toEqual([]);
    expect(renewed.ca?.fingerprint).not.toBe(ca?.fingerprint);
    expect(await world.caBundles()).toEqual([undefined, renewed.ca?.cert, undefined]);
    expect(await world.published('ca.crt')).toBe(renewed.ca?.cert);
    expect(await world.published('webhook.key')).not.toBe(key);
    expect(await problemOf(world, leaf)).toContain('does not hold the CA');
    expect(await problemOf(world, await world.published('webhook.crt'))).toBeUndefined();
  });

  it('by an emptied reroll-ca in the middle of a rotation, too', async () => {
    const { world, first } = await installed();
    await world.clock.advance(2 * hourMs);
    await first.keeper.keep();
    const { ca, nextCa } = await world.material();
    await world.patchSecret('reroll-ca', null);
    await first.keeper.keep();
    const [, caBundle] = await world.caBundles();
    expect(caBundle).not.toContain(ca?.cert);
    expect(caBundle).not.toContain(nextCa?.cert);
    expect(await world.published('ca.crt')).toBe(caBundle);
  });
});

describe('two keepers whose clocks are a quarter of an hour apart', () => {
  it('keep what is served trusted by the clock of either, and go from CA to CA', async () => {
    const world = new CertsWorld();
    world.register();
    const short = { lifetimes: { caLifeMs: 1.5 * hourMs, leafLifeMs: hourMs / 2 } };
    const keepers = [world.keeper(short), world.keeper(short)];
    await keepers[0]?.keeper.keep();
    const aheadMs = 15 * minuteMs;
    for (let minute = 0; minute < 2.5 * 60; minute += 1) {
      const served = await world.published('webhook.crt');
      for (const { keeper } of keepers) {
        await keeper.keep();
        for (const leaf of [served, await world.published('webhook.crt')]) {
          expect(await problemOf(world, leaf)).toBeUndefined();
        }
        const isAhead = keeper !== keepers[0]?.keeper;
        world.clock.jump(isAhead ? -aheadMs : aheadMs);
      }
      await world.clock.advance(minuteMs);
    }
    const { problems, generation } = await world.material();
    expect(problems).toEqual([]);
    expect(generation).toBeGreaterThanOrEqual(3);
  });
});

describe('an install that kept all in reroll-certs', () => {
  it('loses the key of its CA there, and what replicas serve is trusted until they have new certificates', async () => {
    const { world, first } = await installed();
    // The state of an install from before there were two Secrets.
    const former = (await world.material()) as Material;
    await world.patchSecret('reroll-ca', null);
    await world.patchSecret('reroll-certs', encodeMaterial(former, {}));
    const served = await world.published('webhook.crt');
    await first.keeper.keep();
    expect(await world.published('ca.key')).toBeUndefined();
    expect(await world.published('state.json')).toBeUndefined();
    const { ca, retired, generation } = await world.material();
    expect(generation).toBe(2);
    expect(ca?.key).not.toBe(former.ca.key);
    expect(retired.map(({ fingerprint }) => fingerprint)).toEqual([former.ca.fingerprint]);
    expect(await problemOf(world, served)).toBeUndefined();
    expect(await problemOf(world, await world.published('webhook.crt'))).toBeUndefined();
    expect(first.lines.some(({ fields }) => String(fields['because']).includes('was in the Secret reroll-certs'))).toBe(
      true,
    );
    for (let minute = 0; minute < 11; minute += 1) {
      await world.clock.advance(minuteMs);
      await first.keeper.keep();
    }
    expect(await world.caBundles()).toEqual([undefined, ca?.cert, undefined]);
  });
});
