import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { names } from '../../certs/issuing.fixture';
import { coverageProblem } from '../../certs/coverage';
import { webhookHost } from '../../certs/certificate-names';
import type { Transport } from '../../shared/kube/transport';
import { CertsWorld, caBundlesOf, type RunningKeeper } from './certs.fixture';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

async function registered(): Promise<CertsWorld> {
  const world = new CertsWorld();
  world.register();
  await world.clock.settle();
  return world;
}

/** Why the API server would reject the certificate that replicas serve; undefined if it would not. */
async function uncovered(world: CertsWorld): Promise<string | undefined> {
  const leaf = await world.published('webhook.crt');
  const [, caBundle] = await world.caBundles();
  return coverageProblem(leaf ?? '', caBundle ?? '', webhookHost(names), world.clock.nowMs());
}

async function stopped(world: CertsWorld, ...keepers: readonly RunningKeeper[]): Promise<void> {
  const stopping = Promise.all(keepers.map(async ({ keeper }) => await keeper.stop()));
  await world.clock.settle();
  await stopping;
}

describe('a first start', () => {
  it('fills the Secrets, gives caBundle and path to its own webhook alone, and then writes nothing', async () => {
    const world = await registered();
    const { keeper, lines, registry } = world.keeper();
    await keeper.keep();
    const { ca, problems, generation } = await world.material();
    expect(problems).toEqual([]);
    expect(generation).toBe(1);
    expect(await world.caBundles()).toEqual([undefined, ca?.cert, undefined]);
    const { tokens } = await world.tokens();
    expect(tokens.map(({ token }) => token)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(await world.paths()).toEqual(['/validate', `/validate/${tokens[0]!.token}`, '/validate']);
    expect(await world.published('ca.crt')).toBe(ca?.cert);
    expect(await world.published('ca.key')).toBeUndefined();
    expect(await uncovered(world)).toBeUndefined();
    expect(keeper.status).toEqual({ kept: true, problem: undefined, coverage: undefined });
    const writes = [
      'update secrets/reroll-ca 200',
      'update secrets/reroll-webhook-token 200',
      'patch validatingwebhookconfigurations/reroll 200',
      'update secrets/reroll-certs 200',
      // What was applied is left to nobody.
      'patch validatingwebhookconfigurations/reroll 200',
    ];
    expect(world.writes()).toEqual(writes);
    for (let round = 0; round < 5; round += 1) await keeper.keep();
    expect(world.writes()).toEqual(writes);
    const text = JSON.stringify(lines);
    expect(text).toContain('there are no certificates yet');
    expect(text).not.toContain('PRIVATE');
    const metrics = await registry.text();
    expect(text + metrics).not.toContain(tokens[0]!.token);
    expect(metrics).toContain('reroll_webhook_token_registered 1');
    expect(metrics).toContain('reroll_webhook_token_rotations_total 1');
    expect(metrics).toContain('reroll_certificate_covered 1');
    expect(metrics).toContain('reroll_certificate_generation 1');
    expect(metrics).toContain('reroll_certificate_rotations_total{what="ca"} 1');
    expect(metrics).toContain('reroll_certificate_rotations_total{what="leaf"} 3');
    expect(metrics).toContain('reroll_certificate_errors_total{part="secret"} 0');
    const endSeconds = Date.parse(new X509Certificate(ca?.cert ?? '').validTo) / 1000;
    expect(metrics).toContain(`reroll_certificate_not_after_seconds{certificate="ca"} ${String(endSeconds)}`);
  });

  it('needs no registration, and serves both kinds of it', async () => {
    const world = new CertsWorld();
    const { keeper } = world.keeper();
    await keeper.keep();
    expect(world.writes()).toHaveLength(3);
    world.register('Mutating');
    world.register('Validating');
    await keeper.keep();
    // Each is written, and then left to nobody.
    expect(world.writes()).toHaveLength(3 + 2 * 2);
    expect(await uncovered(world)).toBeUndefined();
    const [{ token } = { token: '' }] = (await world.tokens()).tokens;
    expect((await world.paths('Mutating'))[1]).toBe(`/mutate/${token}`);
    expect((await world.paths('Validating'))[1]).toBe(`/validate/${token}`);
  });

  it('by five keepers at once makes one CA and one token', async () => {
    const world = await registered();
    const keepers = Array.from({ length: 5 }, () => world.keeper());
    for (const { keeper } of keepers) keeper.start();
    await world.clock.advance(10_000);
    const written = world.writes().filter((write) => write.endsWith('200'));
    expect(written.filter((write) => write.includes('reroll-ca'))).toHaveLength(1);
    expect(written.filter((write) => write.includes('reroll-webhook-token'))).toHaveLength(1);
    expect((await world.material()).generation).toBe(1);
    expect(await uncovered(world)).toBeUndefined();
    expect(keepers.flatMap(({ lines }) => lines).filter(({ level }) => level !== 'info')).toEqual([]);
    await stopped(world, ...keepers);
  });
});

describe('a life of two keepers', () => {
  it('goes through CAs without a minute in which the webhook is not trusted', async () => {
    const world = await registered();
    const lifetimes = { caLifeMs: 1.5 * hourMs, leafLifeMs: hourMs / 2 };
    const keepers = [world.keeper({ lifetimes }), world.keeper({ lifetimes })];
    for (const { keeper } of keepers) keeper.start();
    await world.clock.advance(2_000);
    let leaf = (await world.published('webhook.crt')) ?? '';
    const seen = new Set<number>();
    for (let minute = 0; minute < 2.5 * 60; minute += 1) {
      if (minute === 57) world.clock.jump(-5 * minuteMs);
      await world.clock.advance(minuteMs);
      const { generation, problems, nextCa, retired } = await world.material();
      const [, caBundle = ''] = await world.caBundles();
      const served = (await world.published('webhook.crt')) ?? '';
      const nowMs = world.clock.nowMs();
      // Both the certificate that a replica had a minute ago and the new one must be trusted.
      for (const cert of [leaf, served]) {
        expect(coverageProblem(cert, caBundle, webhookHost(names), nowMs)).toBeUndefined();
      }
      expect(problems).toEqual([]);
      for (const { cert } of [...(nextCa ? [nextCa] : []), ...retired]) expect(caBundle).toContain(cert);
      expect(await world.published('ca.crt')).toBe(caBundle);
      leaf = served;
      seen.add(generation);
    }
    expect([...seen]).toEqual([1, 2, 3]);
    const all = keepers.flatMap(({ lines }) => lines);
    expect(all.filter(({ level }) => level !== 'info')).toEqual([]);
    // Each step was taken by only one of the two keepers.
    expect(all.filter(({ fields }) => fields['step'] === 'switch')).toHaveLength(2);
    expect(all.filter(({ fields }) => fields['step'] === 'retire')).toHaveLength(2);
    await stopped(world, ...keepers);
  });
});

describe('a keeper that is killed', () => {
  // A keeper killed while it reads leaves the same state as one whose next write does not arrive.
  /** Like kill -9 at write number `left`: it `arrives` or not, the keeper gets no answer and sends nothing more. */
  function mortal(left: number, arrives: boolean, onKill: () => void): (real: Transport) => Transport {
    let writes = 0;
    return (real) => ({
      send: async (request) => {
        const isWrite = request.method !== 'GET';
        if (isWrite) writes += 1;
        if (writes < left) return await real.send(request);
        onKill();
        if (isWrite && writes === left && arrives) await real.send(request);
        return await new Promise<never>(() => undefined);
      },
    });
  }

  it.each([true, false])(
    'at any of its writes leaves nothing that the next cannot go on from (arrives: %s)',
    async (arrives) => {
      const lifetimes = { caLifeMs: 3 * hourMs, leafLifeMs: hourMs };
      let isKilled = true;
      let write = 0;
      while (isKilled) {
        write += 1;
        isKilled = false;
        const world = await registered();
        const before = world.keeper({ lifetimes });
        await before.keeper.keep();
        await world.clock.advance(2 * hourMs - minuteMs / 2);
        await before.keeper.keep();
        await world.clock.advance(minuteMs);
        const leaf = (await world.published('webhook.crt')) ?? '';
        const killed = world.keeper(
          { lifetimes },
          mortal(write, arrives, () => (isKilled = true)),
        );
        killed.keeper.start();
        await world.clock.advance(90_000);
        const next = world.keeper({ lifetimes });
        next.keeper.start();
        await world.clock.advance(3_000);
        // A replica may still serve the first certificate or already the newest: both must be trusted.
        const [, caBundle = ''] = await world.caBundles();
        expect(coverageProblem(leaf, caBundle, webhookHost(names), world.clock.nowMs())).toBeUndefined();
        expect(await uncovered(world)).toBeUndefined();
        await world.clock.advance(2 * minuteMs);
        expect(await uncovered(world)).toBeUndefined();
        // The old CA is due to be dropped.
        world.clock.jump(10 * minuteMs);
        await world.clock.advance(2 * minuteMs);
        expect(await uncovered(world)).toBeUndefined();
        const { ca, ...rest } = await world.material();
        expect(rest).toMatchObject({ generation: 2, nextCa: undefined, retired: [], problems: [] });
        expect(await world.published('ca.crt')).toBe(ca?.cert);
        await stopped(world, next);
      }
      expect(write).toBeGreaterThan(6);
    },
  );
});

describe('what others do', () => {
  it('to the caBundle is undone within a minute', async () => {
    const world = await registered();
    const running = world.keeper();
    running.keeper.start();
    await world.clock.advance(1_000);
    await world.overwriteCaBundle('Cg==');
    expect(await uncovered(world)).toBe('the live caBundle holds no certificate');
    await world.clock.advance(70_000);
    expect(await uncovered(world)).toBeUndefined();
    await stopped(world, running);
  });

  it('to the Secret is mended, and the log says why', async () => {
    const world = await registered();
    const { keeper, lines } = world.keeper();
    await keeper.keep();
    const { ca } = await world.material();
    await world.patchSecret('reroll-ca', { 'webhook.key': 'eA==', 'state.json': null });
    await keeper.keep();
    expect((await world.material()).problems).toEqual([]);
    expect((await world.material()).ca?.fingerprint).toBe(ca?.fingerprint);
    const written = lines.filter(({ message }) => message === 'certificates written');
    expect(written.at(-1)?.fields['problems']).toEqual([
      '"state.json" is unreadable',
      '"webhook.key" is not the key of "webhook.crt"',
    ]);
    await world.patchSecret('reroll-ca', { 'ca.key': null, 'their.key': 'eA==' });
    await keeper.keep();
    const mended = await world.material();
    expect(mended.problems).toEqual([]);
    // Replicas still serve certificates of the lost CA, so it stays trusted for a while.
    expect(mended.retired.map(({ fingerprint }) => fingerprint)).toEqual([ca?.fingerprint]);
    expect((await world.secret('reroll-ca'))['data']).toMatchObject({ 'their.key': 'eA==' });
    expect(await uncovered(world)).toBeUndefined();
  });

  it('letting the CA end makes a new one', async () => {
    const world = await registered();
    const { keeper, lines } = world.keeper();
    await keeper.keep();
    await world.clock.advance(400 * dayMs);
    await keeper.keep();
    expect(lines.some(({ fields }) => fields['because'] === 'the CA is not valid now')).toBe(true);
    expect(await uncovered(world)).toBeUndefined();
  });

  it('setting the clock back by hours makes a new one, and what is served stays trusted', async () => {
    const world = await registered();
    const { keeper } = world.keeper();
    await keeper.keep();
    const served = (await world.material()).leaves.webhook?.cert ?? '';
    world.clock.jump(-2 * hourMs);
    await keeper.keep();
    expect((await world.material()).generation).toBe(2);
    world.clock.jump(2 * hourMs);
    expect(await uncovered(world)).toBeUndefined();
    const [, caBundle] = await world.caBundles();
    expect(coverageProblem(served, caBundle ?? '', webhookHost(names), world.clock.nowMs())).toBeUndefined();
  });

  it('setting the clock back and forth again and again does not make the bundle grow without end', async () => {
    const world = await registered();
    const { keeper } = world.keeper();
    for (let round = 0; round < 12; round += 1) {
      await keeper.keep();
      world.clock.jump(round % 2 === 0 ? -400 * dayMs : 400 * dayMs);
    }
    const { generation, retired } = await world.material();
    expect(generation).toBe(12);
    expect(retired).toHaveLength(8);
  });

  it('in between is met by reading again', async () => {
    const world = await registered();
    const { keeper } = world.keeper();
    world.faults.add({ match: ({ method }) => method === 'PATCH', times: 2, fault: { kind: 'status', code: 409 } });
    world.faults.add({ match: ({ method }) => method === 'PUT', times: 1, fault: { kind: 'reset', when: 'after' } });
    await keeper.keep();
    expect((await world.material()).generation).toBe(1);
    expect(await uncovered(world)).toBeUndefined();
  });

  it('at every attempt is a failure in the end', async () => {
    const world = await registered();
    const { keeper } = world.keeper();
    world.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'status', code: 409 } });
    await expect(keeper.keep()).rejects.toThrow('others keep writing the Secrets or the webhook configurations');
  });
});

describe('a keeper that was held up', () => {
  const lifetimes = { caLifeMs: 3 * hourMs, leafLifeMs: hourMs };

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'before its request %i does not put an old bundle over a newer one',
    async (held) => {
      const world = await registered();
      await world.keeper({ lifetimes }).keeper.keep();
      await world.clock.advance(2 * hourMs - 5 * minuteMs);
      await world.keeper({ lifetimes }).keeper.keep();
      // Both keepers have a caBundle to inject: the slow one the old bundle, the other one the overlap bundle.
      await world.overwriteCaBundle('Cg==');
      await world.clock.advance(5 * minuteMs - 10_000);
      let sent = 0;
      let resume: () => void = () => undefined;
      const slow = world.keeper({ lifetimes }, (real) => ({
        send: async (request) => {
          sent += 1;
          if (sent === held) await new Promise<void>((resolve) => (resume = resolve));
          return await real.send(request);
        },
      }));
      const keeping = slow.keeper.keep();
      await world.clock.settle();
      // By the clock of the other keeper, the CA is due for rotation.
      world.clock.jump(20_000);
      await world.keeper({ lifetimes }).keeper.keep();
      world.clock.jump(-20_000);
      const { nextCa } = await world.material();
      expect(nextCa).toBeDefined();
      const written = world.server.history().length;
      resume();
      await keeping;
      for (const { kind, object } of world.server.history().slice(written - 1)) {
        if (kind.kind === 'ValidatingWebhookConfiguration') expect(caBundlesOf(object)[1]).toContain(nextCa?.cert);
      }
      expect((await world.caBundles())[1]).toContain(nextCa?.cert);
      expect(await world.published('ca.crt')).toContain(nextCa?.cert);
    },
  );
});

describe('once', () => {
  const isWrite = ({ method }: { readonly method: string }): boolean => method !== 'GET';

  it('goes on after a connection that broke, though the write was carried out', async () => {
    const world = await registered();
    const { keeper, registry } = world.keeper();
    world.faults.add({ match: isWrite, times: 2, fault: { kind: 'reset', when: 'after' } });
    const keeping = keeper.keepOnce();
    await world.clock.advance(10_000);
    await keeping;
    expect(await uncovered(world)).toBeUndefined();
    expect((await world.material()).generation).toBe(1);
    expect(world.writes().filter((write) => !write.endsWith('409'))).toEqual([
      'update secrets/reroll-ca 200',
      'update secrets/reroll-webhook-token 200',
      'patch validatingwebhookconfigurations/reroll 200',
      'update secrets/reroll-certs 200',
      // What was applied is left to nobody.
      'patch validatingwebhookconfigurations/reroll 200',
    ]);
    expect(await registry.text()).toContain('reroll_certificate_errors_total{part="secret"} 1');
  });

  it('gives up in the end, with the reason', async () => {
    const world = await registered();
    const { keeper, lines } = world.keeper();
    world.faults.add({ match: isWrite, fault: { kind: 'reset', when: 'before' } });
    const outcome = keeper.keepOnce().catch((thrown: unknown) => thrown);
    await world.clock.advance(minuteMs);
    expect(String(await outcome)).toMatch(/no certificate is renewed/);
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(3);
  });

  it('does not wait for a right that is missing', async () => {
    const world = await registered();
    world.faults.add({ match: isWrite, fault: { kind: 'status', code: 403 } });
    await expect(world.keeper().keeper.keepOnce()).rejects.toThrow(/verb "update" on resource "secrets"/);
  });
});

describe('a missing right', () => {
  it('to read or write the Secret is named with what it costs', async () => {
    const world = await registered();
    const { keeper, registry } = world.keeper();
    world.faults.add({ match: ({ pathname }) => pathname.includes('/secrets'), fault: { kind: 'status', code: 403 } });
    await expect(keeper.keep()).rejects.toThrow(
      /get secrets reroll\/reroll-ca: 403.*verb "get" on resource "secrets".*no certificate is renewed/,
    );
    expect(await registry.text()).toContain('reroll_certificate_errors_total{part="secret"} 1');
    expect(keeper.status.kept).toBe(false);
  });

  it('to the registration does not stop the Secret from being kept, is told once, and its end too', async () => {
    const world = await registered();
    const running = world.keeper();
    const heal = world.faults.add({
      match: ({ pathname }) => pathname.includes('webhookconfigurations'),
      fault: { kind: 'status', code: 403 },
    });
    running.keeper.start();
    await world.clock.advance(5 * minuteMs);
    expect((await world.material()).problems).toEqual([]);
    const warnings = running.lines.filter(({ level }) => level === 'warn');
    expect(warnings).toHaveLength(1);
    expect(String(warnings[0]?.fields['error'])).toMatch(
      /verb "get" on resource "validatingwebhookconfigurations".*without their author/,
    );
    expect(running.keeper.status.coverage).toBe('the live caBundle cannot be read');
    expect(await running.registry.text()).toContain('reroll_certificate_covered 0');
    heal();
    await world.clock.advance(70_000);
    expect(running.lines.at(-1)?.message).toBe('certificates are maintained again');
    expect(await uncovered(world)).toBeUndefined();
    await stopped(world, running);
  });
});
