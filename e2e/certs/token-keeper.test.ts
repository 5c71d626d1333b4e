import { describe, expect, it } from '@jest/globals';
import { encodeTokenState } from '../../certs/token-data';
import { getObject } from '../../shared/kube/client/objects';
import { validatingWebhookConfigurations } from '../../shared/kube/resource';
import { CertsWorld, type RunningKeeper } from './certs.fixture';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The lifetime of a token. */
const lifeMinutes = 60;
const tokenLifeMs = lifeMinutes * minuteMs;

/** Keeps only the token: certificates would just take time. */
const settings = { lifetimes: undefined, tokenLifeMs };

async function installed(): Promise<{ readonly world: CertsWorld; readonly running: RunningKeeper }> {
  const world = new CertsWorld();
  world.register('Validating');
  world.register('Mutating');
  const running = world.keeper(settings);
  await running.keeper.keep();
  return { world, running };
}

async function tokens(world: CertsWorld): Promise<readonly string[]> {
  return (await world.tokens()).tokens.map(({ token }) => token);
}

/** The path of Reroll's webhook in each registration. */
async function paths(world: CertsWorld): Promise<readonly (string | undefined)[]> {
  return [(await world.paths('Validating'))[1], (await world.paths('Mutating'))[1]];
}

function pathsOf(token: string | undefined): readonly string[] {
  return [`/validate/${token ?? ''}`, `/mutate/${token ?? ''}`];
}

/** Advances the clock minute by minute, and lets the keepers run after each minute. */
async function minutes(world: CertsWorld, count: number, ...keepers: readonly RunningKeeper[]): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await world.clock.advance(minuteMs);
    for (const { keeper } of keepers) await keeper.keep();
  }
}

describe('the token', () => {
  it('is made where there is none, and named by both registrations at once', async () => {
    const { world } = await installed();
    const [token, ...more] = await tokens(world);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(more).toEqual([]);
    expect(await paths(world)).toEqual(pathsOf(token));
  });

  it('is replaced when its life is over: named after a minute, the old one dropped ten minutes after', async () => {
    const { world, running } = await installed();
    const [old] = await tokens(world);
    await minutes(world, lifeMinutes - 1, running);
    expect(await tokens(world)).toEqual([old]);
    await minutes(world, 1, running);
    const [kept, fresh] = await tokens(world);
    expect(kept).toBe(old);
    expect(await paths(world)).toEqual(pathsOf(old));
    await world.clock.advance(minuteMs - 1_000);
    await running.keeper.keep();
    expect(await paths(world)).toEqual(pathsOf(old));
    await world.clock.advance(1_000);
    await running.keeper.keep();
    expect(await paths(world)).toEqual(pathsOf(fresh));
    await world.clock.advance(10 * minuteMs - 1_000);
    await running.keeper.keep();
    expect(await tokens(world)).toEqual([old, fresh]);
    await world.clock.advance(1_000);
    await running.keeper.keep();
    expect(await tokens(world)).toEqual([fresh]);
    expect(await running.registry.text()).toContain('reroll_webhook_token_rotations_total 2');
  });

  it('that is old is not dropped while one registration cannot be written', async () => {
    const { world, running } = await installed();
    const [old] = await tokens(world);
    await minutes(world, lifeMinutes, running);
    const heal = world.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.includes('/mutatingwebhookconfigurations'),
      fault: { kind: 'status', code: 403 },
    });
    for (let minute = 0; minute < 30; minute += 1) {
      await world.clock.advance(minuteMs);
      await running.keeper.keep().catch(() => undefined);
    }
    const [kept, fresh] = await tokens(world);
    expect(kept).toBe(old);
    expect(await paths(world)).toEqual([`/validate/${fresh}`, `/mutate/${old}`]);
    heal();
    await minutes(world, 10, running);
    expect(await tokens(world)).toEqual([old, fresh]);
    await minutes(world, 1, running);
    expect(await tokens(world)).toEqual([fresh]);
    expect(await paths(world)).toEqual(pathsOf(fresh));
  });

  it('survives a path that somebody overwrites, also in the middle of a rotation', async () => {
    const { world, running } = await installed();
    const [first] = await tokens(world);
    await world.overwritePath('/validate');
    await running.keeper.keep();
    expect(await paths(world)).toEqual(pathsOf(first));
    expect(await running.registry.text()).toContain('reroll_webhook_token_registered 1');
    await minutes(world, lifeMinutes + 1, running);
    const [old, fresh] = await tokens(world);
    expect(old).toBe(first);
    // An admin puts the old path back when nine of the ten minutes are over.
    await minutes(world, 9, running);
    await world.overwritePath(`/validate/${old}`);
    await running.keeper.keep();
    expect(await paths(world)).toEqual(pathsOf(fresh));
    await minutes(world, 9, running);
    expect(await tokens(world)).toEqual([old, fresh]);
    await minutes(world, 2, running);
    expect(await tokens(world)).toEqual([fresh]);
  });

  it.each([
    ['emptied', null],
    ['unreadable', { 'tokens.json': Buffer.from('{"v":1,"tokens":[]}').toString('base64') }],
  ])('of a Secret that was %s is made anew, named at once, and the old one is accepted no more', async (_how, data) => {
    const { world, running } = await installed();
    const [leaked = ''] = await tokens(world);
    await world.patchSecret('reroll-webhook-token', data);
    await running.keeper.keep();
    const [token, ...more] = await tokens(world);
    expect(more).toEqual([]);
    expect(token).not.toBe(leaked);
    expect(await paths(world)).toEqual(pathsOf(token));
    const said = JSON.stringify(running.lines) + (await running.registry.text());
    for (const secret of [leaked, token]) expect(said).not.toContain(secret);
  });

  it('of the future is taken as made now, and replaced in its time', async () => {
    const { world, running } = await installed();
    const [token = ''] = await tokens(world);
    const sinceMs = world.clock.nowMs() + 1_000 * hourMs;
    const future = { tokens: [{ token, sinceMs }], namedSinceMs: undefined };
    await world.patchSecret('reroll-webhook-token', encodeTokenState(future, {}));
    await running.keeper.keep();
    expect(await world.tokens()).toMatchObject({ tokens: [{ token, sinceMs: world.clock.nowMs() }] });
    await minutes(world, lifeMinutes + 12, running);
    const [fresh, ...more] = await tokens(world);
    expect(more).toEqual([]);
    expect(fresh).not.toBe(token);
    expect(await paths(world)).toEqual(pathsOf(fresh));
  });
});

describe('a wall clock that jumps in the middle of a rotation', () => {
  it.each([-24 * hourMs, -5 * minuteMs, 5 * minuteMs, 24 * hourMs])(
    'by %i ms leaves a registered token that is accepted, and comes to an end',
    async (byMs) => {
      for (const after of [0, 1, 2, 6, 11]) {
        const { world, running } = await installed();
        await minutes(world, lifeMinutes, running);
        await minutes(world, after, running);
        world.clock.jump(byMs);
        for (let minute = 0; minute < 30; minute += 1) {
          await minutes(world, 1, running);
          const accepted = await tokens(world);
          const known = accepted.map((token) => pathsOf(token).join());
          expect(known).toContain((await paths(world)).join());
        }
        expect(await tokens(world)).toHaveLength(1);
      }
    },
  );
});

describe('several keepers', () => {
  it('of one clock make one token each time', async () => {
    const { world, running } = await installed();
    const all = [running, world.keeper(settings), world.keeper(settings)];
    for (let minute = 0; minute < lifeMinutes + 20; minute += 1) {
      await world.clock.advance(minuteMs);
      await Promise.all(all.map(async ({ keeper }) => await keeper.keep()));
    }
    expect(await tokens(world)).toHaveLength(1);
    const made = await Promise.all(all.map(async ({ registry }) => await registry.text()));
    const counts = made.map((text) => Number(/reroll_webhook_token_rotations_total (\d+)/.exec(text)?.[1]));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
  });

  it.each([1, 2, 3, 4, 5])(
    'of which one is held up before its request %i never put a dropped token back',
    async (held) => {
      const { world, running } = await installed();
      const [old] = await tokens(world);
      await world.overwritePath('/validate');
      let sent = 0;
      let resume: () => void = () => undefined;
      const slow = world.keeper(settings, (real) => ({
        send: async (request) => {
          sent += 1;
          if (sent === held) await new Promise<void>((resolve) => (resume = resolve));
          return await real.send(request);
        },
      }));
      const keeping = slow.keeper.keep();
      await world.clock.settle();
      // A jump moves only the wall clock: advancing would fire the timer that ends the held request.
      for (let minute = 0; minute < lifeMinutes + 15; minute += 1) {
        world.clock.jump(minuteMs);
        await running.keeper.keep();
      }
      const [fresh, ...more] = await tokens(world);
      expect(more).toEqual([]);
      expect(fresh).not.toBe(old);
      const before = world.server.history().length;
      resume();
      await keeping;
      const later = JSON.stringify(world.server.history().slice(before));
      expect(later).not.toContain(old);
      expect(await paths(world)).toEqual(pathsOf(fresh));
    },
  );
});

describe('without certificates', () => {
  it('no caBundle is touched, nor the Secrets of certificates, also where it kept them before', async () => {
    const world = new CertsWorld();
    world.register();
    await world.keeper().keeper.keep();
    const before = [await world.secret('reroll-ca'), await world.secret('reroll-certs'), await world.caBundles()];
    await world.overwritePath('/validate');
    const running = world.keeper(settings);
    await running.keeper.keep();
    expect([await world.secret('reroll-ca'), await world.secret('reroll-certs'), await world.caBundles()]).toEqual(
      before,
    );
    const [token] = await tokens(world);
    expect((await world.paths())[1]).toBe(`/validate/${token}`);
    expect(await running.registry.text()).not.toContain('reroll_certificate_covered');
    const asked = world.server.requests().filter(({ user, name }) => user === 'keeper-1' && name !== 'reroll');
    expect(new Set(asked.map(({ verb, name }) => `${verb} ${name}`))).toEqual(new Set(['get reroll-webhook-token']));
  });

  it('a caBundle of others stays when the path is written, and when it is written with certificates it is ours', async () => {
    const { world, running } = await installed();
    await world.overwriteCaBundle('theirs');
    await world.overwritePath('/validate');
    await running.keeper.keep();
    expect((await world.caBundles())[1]).toBe('theirs');
    const object = await getObject(world.admin, validatingWebhookConfigurations, undefined, 'reroll');
    const owners = JSON.stringify(object.metadata['managedFields'])
      .split('"manager":')
      .filter((entry) => entry.startsWith('"reroll-certs'));
    expect(owners.join()).not.toContain('caBundle');
    await world.keeper({ tokenLifeMs }).keeper.keep();
    expect((await world.caBundles())[1]).toBe((await world.material()).ca?.cert);
  });
});

describe('with certificates', () => {
  it('a caBundle is kept also while the Secret of the token is missing, and a path while that of the CA is', async () => {
    const world = new CertsWorld();
    world.register();
    const { keeper } = world.keeper();
    await keeper.keep();
    const path = (await world.paths())[1];
    await world.deleteSecret('reroll-webhook-token');
    await world.overwriteCaBundle('Cg==');
    await expect(keeper.keep()).rejects.toThrow('reroll-webhook-token is missing');
    const { ca } = await world.material();
    expect((await world.caBundles())[1]).toBe(ca?.cert);
    expect((await world.paths())[1]).toBe(path);
    world.restoreSecret('reroll-webhook-token');
    await world.deleteSecret('reroll-ca');
    await expect(keeper.keep()).rejects.toThrow('reroll-ca is missing');
    const [token] = await tokens(world);
    expect((await world.paths())[1]).toBe(`/validate/${token}`);
    expect((await world.caBundles())[1]).toBe(ca?.cert);
  });
});
