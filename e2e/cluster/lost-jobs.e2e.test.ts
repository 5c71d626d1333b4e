import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { configMap, cronJob, fromConfigMap, job } from '../apiserver/cluster';
import type { ContractClient } from '../apiserver/contract/contract-client';
import type { ObjectInput, OwnerReference } from '../apiserver/objects';
import { collectionPath, objectPath } from '../compat/object-paths';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { FaultyServer, type Fits } from '../webhook/faulty-server';
import { metricsOf, ownNamespace, reconcilerAccount, reconcilerUser, RerollCluster } from '../webhook/reroll-cluster';
import { auto, patient, TestNamespace } from './test-namespace';

/** On in OpenShift: setting `blockOwnerDeletion` requires the right to update the owner's finalizers. */
const ownerEnforcement = 'OwnerReferencesPermissionEnforcement';

let cluster: RerollCluster;
let faulty: FaultyServer;
let reroll: RerollProcess;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
/** Has the identity of the reconciler. */
let asReroll: ContractClient;
let shop: TestNamespace;

beforeAll(async () => {
  cluster = await RerollCluster.start([], { apiServerFlags: [`--enable-admission-plugins=${ownerEnforcement}`] });
  const identity = await cluster.identityOf(reconcilerAccount);
  asReroll = cluster.clientOf(identity);
  const { apiServerUrl: server, caPem } = cluster.plane;
  faulty = await FaultyServer.start({ server, caPem, identity });
  others = await TestNamespace.create(cluster, 'others');
  reroll = await cluster.reconciler(0, [], faulty);
});

afterAll(async () => {
  faulty.close();
  await cluster.stop();
});

let scenes = 0;
beforeEach(async () => {
  scenes++;
  shop = await TestNamespace.create(cluster, `shop-${String(scenes)}`);
  await shop.create(configMap({ name: 'app', data: { color: 'red' } }));
});

async function restartReroll(): Promise<void> {
  await reroll.end();
  reroll = await cluster.reconciler(0, [], faulty);
}

/** Creates the Job and resolves once it has a baseline. */
async function createMigration(ownerReferences: readonly OwnerReference[] = []): Promise<void> {
  const migrate = job({ name: 'migrate', annotations: auto, envFrom: [fromConfigMap('app')] });
  await shop.create({ ...migrate, metadata: { ...migrate.metadata, ownerReferences } });
  await shop.adopted('Job', 'migrate');
}

async function uid(): Promise<string> {
  return (await shop.stored('Job', 'migrate')).metadata.uid;
}

async function createdAnewAfter(formerUid: string): Promise<void> {
  await pollUntil(
    'another Job',
    async () => {
      const { metadata } = await shop.stored('Job', 'migrate');
      return metadata.uid !== formerUid && metadata.deletionTimestamp === undefined ? true : undefined;
    },
    patient,
  );
}

async function journalEntries(): Promise<readonly string[]> {
  const { body } = await cluster.admin.get(
    `${collectionPath('Secret', ownNamespace)}?labelSelector=reroll.dev/journal=job`,
  );
  return (body['items'] as readonly ObjectInput[]).map(({ metadata }) => String(metadata.name));
}

async function noEntryLeft(): Promise<void> {
  await pollUntil(
    'the journal to be empty',
    async () => ((await journalEntries()).length === 0 ? true : undefined),
    patient,
  );
}

async function untilMetric(name: string, fits: (value: number) => boolean): Promise<void> {
  await pollUntil(name, async () => (fits((await metricsOf(reroll)).sum(name)) ? true : undefined), patient);
}

/** Installs a policy that refuses Jobs that the reconciler creates in the namespace, if `which` (CEL) holds. */
async function refuseJobs(name: string, which: string): Promise<void> {
  const admission = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name } };
  const created = { apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['jobs'] };
  const user = `request.userInfo.username == "${reconcilerUser}"`;
  await cluster.apply(
    {
      ...admission,
      kind: 'ValidatingAdmissionPolicy',
      spec: {
        matchConstraints: { resourceRules: [created] },
        matchConditions: [{ name: 'which', expression: `${user} && request.namespace == "${shop.name}" && ${which}` }],
        validations: [{ expression: 'false', message: 'only ci may create Jobs' }],
      },
    },
    {
      ...admission,
      kind: 'ValidatingAdmissionPolicyBinding',
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  );
  const probe = job({ name: 'probe', namespace: shop.name });
  await pollUntil('the policy to be in force', async () => {
    const { status } = await asReroll.post(collectionPath('Job', shop.name), probe);
    if (status === 201) await shop.delete('Job', 'probe');
    return status === 422 ? true : undefined;
  });
}

async function allowJobs(name: string): Promise<void> {
  await cluster.plane.kubectl(['delete', 'validatingadmissionpolicybinding', name]);
}

const draft: Fits = ({ method, url }) => method === 'POST' && url.pathname === collectionPath('Secret', ownNamespace);
const entry: Fits = ({ method, url }) =>
  method === 'PUT' && url.pathname.startsWith(objectPath('Secret', ownNamespace, 'reroll-job-'));

describe('a Job', () => {
  it.each([
    ['draft', draft],
    ['entry', entry],
  ])(
    'whose %s in the journal is stored and not answered is not created anew if the change is taken back, nor after a restart of ours',
    async (_which, fits) => {
      await createMigration();
      const before = await uid();
      const lost = faulty.loseNextAnswer(fits, async () => await shop.paint('app', 'red'));
      await shop.paint('app', 'blue');
      await lost;
      await others.laterChangeAnswered();
      await noEntryLeft();
      await restartReroll();
      await others.laterChangeAnswered();
      expect(await uid()).toBe(before);
      await shop.paint('app', 'green');
      await createdAnewAfter(before);
      await noEntryLeft();
    },
  );

  it('is not deleted where a quota leaves no room for its successor, which its Event tells', async () => {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'jobs', namespace: shop.name } };
    await cluster.apply({ ...quota, spec: { hard: { 'count/jobs.batch': '1' } } });
    const path = `/api/v1/namespaces/${shop.name}/resourcequotas/jobs`;
    const untilUsed = async (jobs: number): Promise<void> => {
      await pollUntil(`the quota to count ${String(jobs)} Jobs`, async () => {
        const { status } = (await cluster.admin.get(path)).body;
        return JSON.stringify(status).includes(`"used":{"count/jobs.batch":"${String(jobs)}"}`) ? true : undefined;
      });
    };
    // A Job created before the quota is in force may be missing from its count for minutes.
    await untilUsed(0);
    await createMigration();
    const before = await uid();
    await untilUsed(1);
    await shop.paint('app', 'blue');
    expect(await shop.eventWith('ReloadFail migrate: ')).toContain('exceeded quota: jobs');
    await untilMetric('reloader_reload_errors_total', (value) => value > 0);
    await others.laterChangeAnswered();
    expect(await uid()).toBe(before);
    await cluster.apply({ ...quota, spec: { hard: { 'count/jobs.batch': '2' } } });
    await createdAnewAfter(before);
  });

  it('is not deleted where a policy refuses its successor, and is created anew once it is allowed', async () => {
    await createMigration();
    const before = await uid();
    await refuseJobs('only-ci', 'true');
    await shop.paint('app', 'blue');
    expect(await shop.eventWith('ReloadFail migrate: ')).toContain('only ci may create Jobs');
    await others.laterChangeAnswered();
    expect([await uid(), await journalEntries()]).toEqual([before, []]);
    await allowJobs('only-ci');
    await createdAnewAfter(before);
  });

  it('that is refused though its dry run was not waits in the journal, told and counted, also after a restart of ours', async () => {
    await createMigration();
    const before = await uid();
    await refuseJobs('not-dry-runs', '!(has(request.dryRun) && request.dryRun)');
    await shop.paint('app', 'blue');
    await shop.eventWith('ReloadFail migrate: deleted, and not recreated until this is fixed: ');
    await untilMetric('reroll_jobs_not_created', (value) => value === 1);
    await restartReroll();
    await untilMetric('reroll_jobs_not_created', (value) => value === 1);
    expect(await journalEntries()).toHaveLength(1);
    await allowJobs('not-dry-runs');
    await createdAnewAfter(before);
    await untilMetric('reroll_jobs_not_created', (value) => value === 0);
    await noEntryLeft();
  });
});

describe(`with ${ownerEnforcement}, and no right to finalizers`, () => {
  const blocking = (name: string, owner: { readonly uid: string }, kind: 'CronJob' | 'ConfigMap'): OwnerReference => ({
    ...{ apiVersion: kind === 'CronJob' ? 'batch/v1' : 'v1', kind, name, uid: owner.uid },
    blockOwnerDeletion: true,
  });

  it('a CronJob is run', async () => {
    await shop.create(cronJob({ name: 'report', annotations: auto, envFrom: [fromConfigMap('app')] }));
    await shop.adopted('CronJob', 'report');
    const { metadata } = await shop.stored('CronJob', 'report');
    const blocked = job({ name: 'probe', namespace: shop.name });
    const refused = await asReroll.post(`${collectionPath('Job', shop.name)}?dryRun=All`, {
      ...blocked,
      metadata: { ...blocked.metadata, ownerReferences: [blocking('report', metadata, 'CronJob')] },
    });
    expect([refused.status, refused.body['message']]).toEqual([403, expect.stringContaining('blockOwnerDeletion')]);
    await shop.paint('app', 'blue');
    const [run] = await pollUntil(
      'a run',
      async () => {
        const jobs = await shop.all('Job');
        return jobs.length > 0 ? jobs : undefined;
      },
      patient,
    );
    expect(run?.metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'CronJob', name: 'report', controller: true }),
    ]);
    expect(run?.metadata.ownerReferences?.[0]).not.toHaveProperty('blockOwnerDeletion');
  });

  it('a Job that has an owner is created anew', async () => {
    const { metadata } = await shop.stored('ConfigMap', 'app');
    await createMigration([blocking('app', metadata, 'ConfigMap')]);
    const before = await uid();
    await shop.paint('app', 'blue');
    await createdAnewAfter(before);
    const [owner] = (await shop.stored('Job', 'migrate')).metadata.ownerReferences ?? [];
    expect(owner).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', name: 'app', uid: metadata.uid });
  });
});
