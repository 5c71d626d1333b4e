import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { entryName, sealEntry, type JobRecreation } from '../../reconciler/apply/journal-entry';
import { createObject, getObject, type KubeObject } from '../../shared/kube/client/objects';
import { secrets } from '../../shared/kube/resource';
import { configMap, fromConfigMap, job, seedNamespace } from '../apiserver/cluster';
import type { FaultTarget } from '../apiserver/faults';
import { Harness, type Engine, handoverLease } from './harness';

/** Matches the real create of a Job, not its dry run. */
const isCreateOfJob = ({ method, pathname, query }: FaultTarget): boolean =>
  method === 'POST' && pathname.endsWith('/jobs') && !query.has('dryRun');
const auto = { 'reloader.stakater.com/auto': 'true' };
const keyName = 'reroll-journal-key';
const told = 'is labelled as a journal entry';

let harness: Harness;

beforeEach(() => {
  harness = new Harness();
  seedNamespace(harness.server, 'kube-system');
  harness.seed(
    configMap({ name: 'app', data: { color: 'red' } }),
    job({ name: 'migrate', annotations: auto, envFrom: [fromConfigMap('app')] }),
  );
});

/** A Job that an attacker who may create Secrets in Reroll's namespace would have Reroll create. */
const evil: JobRecreation = {
  uid: 'u1',
  restartId: 'x',
  sources: [],
  because: [],
  successor: {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'pwn', namespace: 'kube-system', annotations: {} },
    spec: {
      template: {
        spec: {
          serviceAccountName: 'clusterrole-aggregation-controller',
          hostPID: true,
          restartPolicy: 'Never',
          containers: [{ name: 'c', image: 'evil', securityContext: { privileged: true } }],
        },
      },
    },
  },
};

/** The entry as a version of Reroll without MACs wrote it. */
function formerEntry(entry: JobRecreation): object {
  const { name, namespace } = entry.successor.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: entryName(entry.uid),
      namespace: 'reroll',
      labels: { 'reroll.dev/journal': 'job', 'reroll.dev/journal-job': entry.uid },
      annotations: { 'reroll.dev/journal-job-name': `${namespace}/${name}` },
    },
    data: { 'recreation.json.gz': gzipSync(JSON.stringify(entry)).toString('base64') },
  };
}

async function put(secret: object): Promise<void> {
  await createObject(harness.admin, secrets, 'reroll', secret);
}

async function stored(name: string): Promise<KubeObject> {
  return await getObject(harness.admin, secrets, 'reroll', name);
}

function warned({ lines }: Engine): readonly string[] {
  return lines.flatMap(({ level, message }) => (level === 'warn' && message.includes(told) ? [message] : []));
}

function jobs(): readonly string[] {
  return harness.objects('Job').map(({ metadata }) => `${String(metadata.namespace)}/${metadata.name}`);
}

function births(): number {
  return harness.writesOf('Job', 'migrate').filter(({ type }) => type === 'ADDED').length;
}

async function changed(color: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color });
  await harness.clock.advance(60_000);
}

/** Leaves an entry whose Job is deleted and not yet recreated. */
async function killedInTheMiddle(): Promise<void> {
  const engine = await harness.start();
  harness.faults.add({
    match: isCreateOfJob,
    times: 1,
    fault: { kind: 'half-open' },
  });
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(5_000);
  engine.kill();
  await harness.clock.advance(60_000);
  expect(jobs()).toEqual([]);
}

function entriesLeft(): readonly string[] {
  return harness.objects('Secret').flatMap(({ metadata: { name } }) => (name.startsWith('reroll-job-') ? [name] : []));
}

describe('a forged journal entry', () => {
  it.each<[string, object]>([
    ['without a MAC', formerEntry(evil)],
    ['with a MAC under another key', sealEntry(Buffer.alloc(32), 'reroll', evil)],
  ])('%s becomes no Job, by this leader or the next', async (_what, secret) => {
    const first = await harness.start();
    await put(secret);
    const before = await stored(entryName('u1'));
    await harness.clock.advance(60_000);
    await first.stop();
    for (let term = 0; term < 2; term++) {
      const next = await harness.start();
      await harness.clock.advance(120_000);
      expect(jobs()).toEqual(['default/migrate']);
      expect(warned(next)).toEqual([expect.stringMatching(/^Secret reroll\/reroll-job-[0-9a-f]{16} is labelled/)]);
      expect(warned(next)[0]).toContain('create Job kube-system/pwn if it is missing; then delete the Secret');
      expect(await next.metrics.registry.text()).toContain('reroll_journal_entries_refused_total 1');
      await next.stop();
    }
    expect(await stored(entryName('u1'))).toEqual(before);
  });

  it('for an existing Job does not prevent its recreation, and is not overwritten', async () => {
    const { uid } = (await harness.get('Job', 'migrate')).metadata;
    const metadata = { name: 'migrate', namespace: 'default', annotations: {} };
    await put(formerEntry({ ...evil, uid, successor: { ...evil.successor, metadata } }));
    const before = await stored(entryName(uid));
    const engine = await harness.start();
    await changed('blue');
    expect(births()).toBe(2);
    expect(JSON.stringify(harness.objects('Job'))).not.toContain('evil');
    expect(await stored(entryName(uid))).toEqual(before);
    expect(warned(engine)).toHaveLength(1);
    await changed('green');
    expect(births()).toBe(3);
  });

  it('in place of a true entry is not carried out either', async () => {
    await killedInTheMiddle();
    const [name = ''] = entriesLeft();
    const ours = await stored(name);
    await harness.deleteOwnSecret(name);
    const { data } = formerEntry(evil) as { readonly data: Readonly<Record<string, string>> };
    const mac = (ours['data'] as Readonly<Record<string, string>>)['mac'];
    const { labels, annotations } = ours.metadata;
    await put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, labels, annotations }, data: { ...data, mac } });
    const next = await harness.start();
    await harness.clock.advance(120_000);
    expect(jobs()).toEqual([]);
    expect(warned(next)[0]).toContain('its MAC is wrong');
  });
});

describe('an upgrade', () => {
  it('reports a journal entry of the former version, and leaves it alone', async () => {
    const { uid } = (await harness.get('Job', 'migrate')).metadata;
    await harness.delete('Job', 'migrate');
    const metadata = { name: 'migrate', namespace: 'default', annotations: {} };
    await put(formerEntry({ ...evil, uid, successor: { ...evil.successor, metadata } }));
    const engine = await harness.start();
    await harness.clock.advance(120_000);
    expect(jobs()).toEqual([]);
    expect(warned(engine)).toEqual([
      expect.stringContaining('it has no MAC: an earlier version of Reroll or somebody else wrote it'),
    ]);
    expect(warned(engine)[0]).toContain('create Job default/migrate if it is missing');
    expect(entriesLeft()).toHaveLength(1);
  });
});

describe('the journal key', () => {
  const keyText = async (): Promise<string> => JSON.stringify((await stored(keyName))['data']);

  it('is created by the first leader and outlives it, so that the next leader finishes what that one began', async () => {
    await killedInTheMiddle();
    const key = await keyText();
    const next = await harness.start();
    await harness.clock.advance(60_000);
    expect(jobs()).toEqual(['default/migrate']);
    expect([warned(next), entriesLeft()]).toEqual([[], []]);
    expect(await keyText()).toBe(key);
  });

  it('is replaced if its Secret is deleted and the reconciler restarts, and then no older entry is trusted', async () => {
    await killedInTheMiddle();
    const former = await keyText();
    await harness.deleteOwnSecret(keyName);
    const next = await harness.start();
    expect(await keyText()).not.toBe(former);
    await harness.clock.advance(60_000);
    expect(jobs()).toEqual([]);
    expect(warned(next)).toEqual([expect.stringContaining('create Job default/migrate if it is missing')]);
    // Do what the warning says.
    await harness.deleteOwnSecret(entriesLeft()[0]!);
    harness.seed(job({ name: 'migrate', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await harness.clock.advance(10_000);
    await changed('green');
    expect(births()).toBe(3);
    expect(entriesLeft()).toEqual([]);
  });

  it('is reported with a fix if its Secret holds no key, and no Job is deleted meanwhile', async () => {
    await put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: keyName }, data: { key: 'eA==' } });
    const engine = await harness.start();
    await changed('blue');
    expect(births()).toBe(1);
    const errors = engine.lines.map(({ fields }) => JSON.stringify(fields));
    expect(errors).toContainEqual(expect.stringContaining('delete the Secret and the reconciler creates a new key'));
    await harness.deleteOwnSecret(keyName);
    await harness.clock.advance(60_000);
    expect(births()).toBe(2);
  });
});

it('one loop looks for the Jobs of earlier leaders, however often the leader changes meanwhile', async () => {
  harness.leaseTimings = handoverLease;
  let asked = 0;
  const isSearch = ({ method, pathname, query }: FaultTarget): boolean =>
    method === 'GET' && pathname.endsWith('/namespaces/reroll/secrets') && query.has('labelSelector');
  harness.faults.add({
    match: (target) => {
      if (isSearch(target)) asked++;
      return isSearch(target);
    },
    fault: { kind: 'status', code: 503 },
  });
  await harness.start();
  const isLease = ({ pathname }: FaultTarget): boolean => pathname.endsWith('/leases/reroll');
  for (let terms = 12; terms > 0; terms--) {
    const end = harness.faults.add({ match: isLease, fault: { kind: 'status', code: 503 } });
    await harness.clock.advance(20_000);
    end();
    await harness.clock.advance(20_000);
  }
  asked = 0;
  await harness.clock.advance(120_000);
  // After so many failures, one loop asks about every 30 s.
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(12);
});
