import { gunzipSync } from 'node:zlib';
import { describe, expect, it, jest } from '@jest/globals';
import { auto } from '../../shared/domain/plan/records.fixture';
import { continueToken } from '../../shared/domain/protocol/inspection-question';
import { workloadPageSchema, type WorkloadPage } from '../../shared/domain/protocol/workload-page';
import { InspectionWorld } from './inspection.fixture';
import { WorkloadPages } from './workload-pages';

interface Asked {
  readonly namespace?: string | undefined;
  readonly limit?: number;
  readonly after?: string | undefined;
}

const hold = { untilMs: undefined, because: 'incident 42', bearer: 'ConfigMap reroll/reroll-hold' };

function worldOf(...names: readonly string[]): { readonly world: InspectionWorld; ask(asked?: Asked): WorkloadPage } {
  const world = new InspectionWorld();
  for (const name of names) world.see({ name });
  const pages = new WorkloadPages(world.view);
  const ask = ({ namespace, limit = 500, after }: Asked = {}): WorkloadPage =>
    workloadPageSchema.parse(
      JSON.parse(pages.render({ about: 'workloads', namespace, limit, after }, false).bytes.toString()),
    );
  return { world, ask };
}

const namesOf = ({ workloads }: WorkloadPage): readonly string[] => workloads.map(({ name }) => name);

describe('a page', () => {
  it('has the workloads in order, and a token unless it is the last', () => {
    const { ask } = worldOf('c', 'a', 'b');
    expect(namesOf(ask())).toEqual(['a', 'b', 'c']);
    expect(ask().continue).toBeUndefined();
    expect(ask({ limit: 3 }).continue).toBeUndefined();
    expect(ask({ limit: 2 })).toMatchObject({ continue: continueToken('Deployment/shop/b') });
    expect(namesOf(ask({ limit: 2, after: 'Deployment/shop/b' }))).toEqual(['c']);
  });

  it('has a token as long as there is a workload behind it', async () => {
    const { world, ask } = worldOf('a', 'b');
    const tokens: (string | undefined)[] = [];
    const note = async (): Promise<void> => {
      tokens.push(ask({ limit: 2 }).continue);
      await world.clock.advance(250);
    };
    await note();
    const behind = world.see({ name: 'c' });
    await note();
    world.forget(behind);
    await note();
    expect(tokens).toEqual([undefined, continueToken('Deployment/shop/b'), undefined]);
  });

  it('says that everything is held, on each page', () => {
    const world = new InspectionWorld({}, { heldInstall: { hold } });
    for (const name of ['a', 'b']) world.see({ name });
    const pages = new WorkloadPages(world.view);
    for (const after of [undefined, 'Deployment/shop/a']) {
      const page = JSON.parse(
        pages.render({ about: 'workloads', namespace: undefined, limit: 1, after }, false).bytes.toString(),
      );
      expect(page.hold).toEqual({ bearer: 'ConfigMap reroll/reroll-hold', because: 'incident 42' });
    }
    expect(worldOf('a').ask()).not.toHaveProperty('hold');
  });

  it('begins behind its token, whether or not that workload is still there', () => {
    const { ask } = worldOf('a', 'c', 'e');
    for (const [after, names] of [
      ['Deployment/shop/c', 'e'],
      ['Deployment/shop/b', 'ce'],
      ['Deployment/shop/z', ''],
      ['AAA/a/a', 'ace'],
    ] as const) {
      expect(namesOf(ask({ after })).join('')).toBe(names);
    }
  });

  it('has only the workloads of a namespace if that is asked for', () => {
    const { world, ask } = worldOf('a', 'c');
    world.see({ name: 'b', namespace: 'other' });
    world.see({ name: 'd', namespace: 'other' });
    expect(namesOf(ask({ namespace: 'other' }))).toEqual(['b', 'd']);
    expect(ask({ namespace: 'other', limit: 1 }).continue).toBe(continueToken('Deployment/other/b'));
    expect(ask({ namespace: 'shop', limit: 2 }).continue).toBeUndefined();
  });

  it('leaves out a workload that was deleted since the keys were sorted', () => {
    const { world, ask } = worldOf('a', 'b');
    expect(namesOf(ask({ limit: 1 }))).toEqual(['a']);
    world.forget(world.see({ name: 'b' }));
    expect(namesOf(ask())).toEqual(['a']);
  });
});

const lastRestart = JSON.stringify({ at: '2025-12-31T10:00:00.000Z', id: '3f9c2a71', sources: {} });

describe('a row', () => {
  const restartedAt = (at: string): { readonly annotations: Readonly<Record<string, string>> } => ({
    annotations: { ...auto, 'reroll.dev/last-restart': JSON.stringify({ at, id: '3f9c2a71', sources: {} }) },
  });

  it('follows the state of a workload, and what is written on it', async () => {
    const { world, ask } = worldOf();
    const rows = async (): Promise<readonly unknown[]> => {
      await world.clock.advance(250);
      return ask().workloads;
    };
    const web = world.see({ name: 'web' });
    const names = { kind: 'Deployment', namespace: 'shop', name: 'web' };
    expect(await rows()).toEqual([{ ...names, state: 'in-step' }]);
    world.settle.touch(web.key, 'cm/app');
    expect(await rows()).toMatchObject([{ ...names, state: 'pending', waitsFor: 'settle-window' }]);
    await world.clock.advance(1_000);
    expect(await rows()).toEqual([{ ...names, state: 'in-step' }]);
    for (const at of ['2025-12-31T10:00:00.000Z', '2025-12-31T11:00:00.000Z']) {
      world.see({ name: 'web', ...restartedAt(at) });
      expect(await rows()).toEqual([{ ...names, state: 'in-step', lastRestartAt: at }]);
    }
  });

  it('can be read by whoever asks, whatever time a tenant writes', () => {
    const { world, ask } = worldOf('web');
    world.see({ name: 'forged', ...restartedAt('9999-12-31T24:00:00.000Z') });
    expect(namesOf(ask())).toEqual(['forged', 'web']);
  });

  it('tells who caused the last restart, where the workload tells it', () => {
    const { world, ask } = worldOf('calm');
    const at = '2025-12-31T10:00:00.000Z';
    const text = (by: object): string => JSON.stringify({ at, id: '3f9c2a71', sources: {}, ...by });
    const annotated = (by: object) => ({ annotations: { ...auto, 'reroll.dev/last-restart': text(by) } });
    world.see({ name: 'few', ...annotated({ by: ['alice'] }) });
    world.see({ name: 'many', ...annotated({ by: ['alice', 'bob'], byMore: 3 }) });
    world.see({ name: 'nobody', ...annotated({}) });
    const [calm, few, many, nobody] = ask().workloads;
    expect(few).toMatchObject({ lastRestartAt: at, lastRestartBy: ['alice'] });
    expect(many).toMatchObject({ lastRestartAt: at, lastRestartBy: ['alice', 'bob'], lastRestartMoreUsers: 3 });
    for (const row of [calm, nobody]) expect(row).not.toHaveProperty('lastRestartBy');
    for (const row of [calm, few, nobody]) expect(row).not.toHaveProperty('lastRestartMoreUsers');
  });

  it('is made once while its workload is in step, and again when nobody has asked for ten seconds', async () => {
    const { world, ask } = worldOf('a', 'b');
    const stringify = jest.spyOn(JSON, 'stringify');
    const made = (): number => stringify.mock.calls.splice(0).length;
    try {
      ask();
      expect(made()).toBe(2);
      for (let round = 0; round < 20; round++) {
        await world.clock.advance(1_000);
        ask();
      }
      expect(made()).toBe(0);
      await world.clock.advance(10_000);
      ask();
      expect(made()).toBe(2);
    } finally {
      stringify.mockRestore();
    }
  });
});

describe('the work for pages', () => {
  const question = { about: 'workloads', namespace: undefined, limit: 500, after: undefined } as const;

  it('is not done again for what says the same, until nobody has asked for ten seconds', async () => {
    const { world } = worldOf('a', 'b', 'c');
    const pages = new WorkloadPages(world.view);
    const bytes = (): Buffer => pages.render(question, true).bytes;
    let before = bytes();
    for (let round = 0; round < 3; round++) {
      await world.clock.advance(1_000);
      expect(bytes()).toBe(before);
    }
    await world.clock.advance(10_000);
    expect(bytes()).not.toBe(before);
    const changes: readonly [string, () => unknown][] = [
      ['a restart', () => world.see({ name: 'b', annotations: { ...auto, 'reroll.dev/last-restart': lastRestart } })],
      ['a state', () => world.settle.touch('Deployment/shop/a', 'cm/app')],
      ['a new workload', () => world.see({ name: 'aa' })],
      ['a deletion', () => world.forget(world.see({ name: 'c' }))],
      ['a hold', () => Object.assign(world.view.heldInstall, { hold })],
    ];
    for (const [, change] of changes) {
      before = bytes();
      change();
      await world.clock.advance(250);
      expect(bytes()).not.toEqual(before);
    }
  });

  it('is done once in a quarter of a second, however often they are asked for', async () => {
    const { world, ask } = worldOf('a', 'b', 'c');
    const askBoth = (): void => {
      ask({ limit: 2 });
      ask({ limit: 2, after: 'Deployment/shop/b' });
    };
    askBoth();
    const tracked = jest.spyOn(world.view.workloads, 'tracked');
    const get = jest.spyOn(world.view.workloads, 'get');
    for (let round = 0; round < 10; round++) {
      await world.clock.advance(24);
      askBoth();
    }
    expect([tracked.mock.calls.length, get.mock.calls.length]).toEqual([0, 0]);
    await world.clock.advance(10);
    askBoth();
    expect([tracked.mock.calls.length, get.mock.calls.length]).toEqual([1, 4]);
  });

  it('plans nothing and reads no source', () => {
    const { world, ask } = worldOf('a');
    const get = jest.spyOn(world.view.sources, 'get');
    ask();
    expect(get).not.toHaveBeenCalled();
  });

  it('is compressed for whoever can read that, once, and says the same', () => {
    const { world } = worldOf(...Array.from({ length: 100 }, (_, index) => `web-${index}`));
    const pages = new WorkloadPages(world.view);
    const question = { about: 'workloads', namespace: undefined, limit: 500, after: undefined } as const;
    const [plain, zipped] = [pages.render(question, false), pages.render(question, true)];
    expect(plain.encoding).toBeUndefined();
    expect(zipped.encoding).toBe('gzip');
    expect(gunzipSync(zipped.bytes)).toEqual(plain.bytes);
    expect(pages.render(question, true)).toBe(zipped);
    expect(pages.render(question, false)).toBe(plain);
  });

  it('is not compressed if it fits into a packet', () => {
    const { world } = worldOf('a');
    const question = { about: 'workloads', namespace: undefined, limit: 500, after: undefined } as const;
    expect(new WorkloadPages(world.view).render(question, true).encoding).toBeUndefined();
  });

  it('takes no more memory than it has bytes', () => {
    const { world } = worldOf(...Array.from({ length: 100 }, (_, index) => `web-${index}`));
    const pages = new WorkloadPages(world.view);
    for (const acceptsGzip of [false, true]) {
      const question = { about: 'workloads', namespace: undefined, limit: 500, after: undefined } as const;
      const { bytes } = pages.render(question, acceptsGzip);
      const pooled = Buffer.from('small').buffer.byteLength;
      expect(bytes.buffer.byteLength).toBeLessThanOrEqual(Math.max(bytes.length, pooled));
    }
  });

  it('keeps no more of pages without workloads, of which each has a name of its own', () => {
    const world = new InspectionWorld();
    const web = world.see({ name: 'web' });
    const pages = new WorkloadPages(world.view);
    const get = jest.spyOn(world.view.workloads, 'get');
    const render = (index: number): Buffer => {
      const namespace = `${'n'.repeat(240)}${index}`;
      return pages.render({ about: 'workloads', limit: 500, after: undefined, namespace }, false).bytes;
    };
    const each = render(0).length + 240;
    const most = Math.ceil((4 * 1024 * 1024) / each);
    for (let index = 1; index <= most; index++) render(index);
    get.mockClear();
    render(most);
    expect(get).not.toHaveBeenCalled();
    render(0);
    expect(get.mock.calls).toEqual([[web.key]]);
  });

  it('leaves at most a few megabytes in memory, of what was asked for last', () => {
    const world = new InspectionWorld();
    for (let index = 0; index < 500; index++) world.see({ name: `web-${index}` });
    const pages = new WorkloadPages(world.view);
    const get = jest.spyOn(world.view.workloads, 'get');
    const render = (after: string): Buffer =>
      pages.render({ about: 'workloads', namespace: undefined, limit: 500, after: `AAA/a/${after}` }, false).bytes;
    const most = Math.floor((4 * 1024 * 1024) / render('first').length);
    for (let index = 1; index < most + 10; index++) render(String(index));
    get.mockClear();
    render(String(most + 9));
    render('30');
    expect(get).not.toHaveBeenCalled();
    render('first');
    expect(get).toHaveBeenCalledTimes(500);
  });

  it('does not keep what nobody has asked for in ten seconds, whatever else is asked for', async () => {
    const { world } = worldOf('a', 'b');
    const pages = new WorkloadPages(world.view);
    const render = (limit: number): Buffer =>
      pages.render({ about: 'workloads', namespace: undefined, limit, after: undefined }, false).bytes;
    const both = [render(1), render(2)];
    for (let second = 0; second < 10; second++) {
      await world.clock.advance(1_000);
      expect(render(2)).toBe(both[1]);
    }
    expect(render(1)).not.toBe(both[0]);
  });
});
