import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RerollProcess } from '../reroll-process';
import { RerollCluster } from '../webhook/reroll-cluster';
import { TestNamespace } from './test-namespace';

let cluster: RerollCluster;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
let reroll: RerollProcess;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  others = await TestNamespace.create(cluster, 'others');
});

afterAll(async () => await cluster.stop());

describe('with --resource-label-selector', () => {
  let labelled: TestNamespace;

  beforeAll(async () => {
    labelled = await TestNamespace.create(cluster, 'labelled');
    for (const name of ['edited', 'still']) await labelled.createApp(name);
    reroll = await cluster.reconciler(0, ['--resource-label-selector=reload=yes', '--settle=2s']);
    await others.laterChangeAnswered();
  });

  afterAll(async () => await reroll.end());

  it('a source that gets the label and is edited within the settle window restarts once; the label alone, nothing', async () => {
    for (const name of ['still', 'edited']) {
      await labelled.patch('ConfigMap', name, { metadata: { labels: { reload: 'yes' } } });
    }
    await labelled.paint('edited', 'blue');
    await labelled.restarted('edited', 1);
    await others.laterChangeAnswered();
    expect([await labelled.restarts('edited'), await labelled.restarts('still')]).toEqual([1, 0]);
    await labelled.paint('still', 'blue');
    await labelled.restarted('still', 1);
  });
});

describe('an opt-in by removal', () => {
  const cases = [
    ['`ignore` of a source', 'ConfigMap', 'annotations', 'reloader.stakater.com/ignore', 'true'],
    ['`auto: "false"`, with --auto-reload-all', 'StatefulSet', 'annotations', 'reloader.stakater.com/auto', 'false'],
    ['the label that --namespace-selector leaves out', 'Namespace', 'labels', 'frozen', 'true'],
  ] as const;
  type Removal = (typeof cases)[number];

  const within = new Map<string, TestNamespace>();

  async function write([, kind, field, key]: Removal, value: string | null): Promise<void> {
    const namespace = within.get(kind)!;
    await namespace.patch(kind, kind === 'Namespace' ? namespace.name : 'web', {
      metadata: { [field]: { [key]: value } },
    });
  }

  beforeAll(async () => {
    for (const removal of cases) {
      const [, kind, , , value] = removal;
      within.set(kind, await TestNamespace.create(cluster, `opted-out-${kind.toLowerCase()}`));
      await within.get(kind)!.createApp('web', {});
      await write(removal, value);
    }
    reroll = await cluster.reconciler(0, ['--auto-reload-all', '--namespace-selector=!frozen']);
    await others.laterChangeAnswered();
    for (const namespace of within.values()) await namespace.paint('web', 'blue');
    await others.laterChangeAnswered();
  });

  afterAll(async () => await reroll.end());

  it.each(cases)('of %s: nothing for what changed before, one restart for what changes after', async (...removal) => {
    const namespace = within.get(removal[1])!;
    await write(removal, null);
    await others.laterChangeAnswered();
    expect(await namespace.restarts('web')).toBe(0);
    await namespace.paint('web', 'green');
    await namespace.restarted('web', 1);
    await others.laterChangeAnswered();
    expect(await namespace.restarts('web')).toBe(1);
  });
});

describe('with --namespaces', () => {
  const names = Array.from({ length: 100 }, (_, index) => `watched-${String(index)}`);

  it('of 100 namespaces the last is watched as the first is', async () => {
    const created = await Promise.all(names.map(async (name) => await TestNamespace.create(cluster, name)));
    const last = created.at(-1)!;
    await last.createApp('web');
    reroll = await cluster.reconciler(0, [`--namespaces=${names.join(',')}`]);
    await last.adopted('StatefulSet', 'web');
    await last.paint('web', 'blue');
    await last.restarted('web', 1);
  });

  it('101 are refused, with what to do', async () => {
    const refused = new RerollProcess({ args: ['reconciler', `--namespaces=${[...names, 'one-more'].join(',')}`] });
    expect(await refused.exited()).not.toMatchObject({ code: 0 });
    expect(refused.stderr).toContain(
      '--namespaces has 101 entries, and 100 can be watched one by one: leave it out to watch the whole cluster',
    );
  });
});
