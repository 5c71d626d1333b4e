import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { strategic, type ContractClient } from '../apiserver/contract/contract-client';
import { objectPath } from '../compat/object-paths';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { FaultyServer } from '../webhook/faulty-server';
import { metricsOf, reconcilerAccount, reconcilerUser, RerollCluster } from '../webhook/reroll-cluster';
import { patient, TestNamespace } from './test-namespace';

let cluster: RerollCluster;
let faulty: FaultyServer;
let reroll: RerollProcess;
/** Has the identity of the reconciler. */
let asReroll: ContractClient;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
let shop: TestNamespace;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  const identity = await cluster.identityOf(reconcilerAccount);
  asReroll = cluster.clientOf(identity);
  const { apiServerUrl: server, caPem } = cluster.plane;
  faulty = await FaultyServer.start({ server, caPem, identity });
  others = await TestNamespace.create(cluster, 'others');
  shop = await TestNamespace.create(cluster, 'shop-of-writes');
  reroll = await cluster.reconciler(0, [], faulty);
});

afterAll(async () => {
  faulty.close();
  await cluster.stop();
});

it.each([429, 503])(
  'a write that is answered by %i and "come back in a day" holds up nothing that changes meanwhile',
  async (status) => {
    const name = `refused-${String(status)}`;
    await shop.createApp(name);
    await shop.adopted('StatefulSet', name);
    const path = objectPath('StatefulSet', shop.name, name);
    const refused = faulty.refuseNext(({ method, url }) => method === 'PATCH' && url.pathname === path, status, {
      'retry-after': '86400',
    });
    await shop.paint(name, 'blue');
    await refused;
    await others.laterChangeAnswered();
    expect(await shop.restarts(name)).toBe(0);
    await shop.paint(name, 'green');
    // Waits less than the two minutes after which the write would be retried anyway.
    await shop.restarted(name, 1);
    await others.laterChangeAnswered();
    expect(await shop.restarts(name)).toBe(1);
  },
);

/** Installs a policy that removes environment variables from the reconciler's writes of StatefulSets. */
async function stripVariables(): Promise<void> {
  const admission = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'no-variables' } };
  const updated = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['statefulsets'] };
  const which = `request.userInfo.username == "${reconcilerUser}" && request.namespace == "${shop.name}"`;
  const has = 'has(object.spec.template.spec.containers[0].env)';
  const expression = '[JSONPatch{op: "remove", path: "/spec/template/spec/containers/0/env"}]';
  await cluster.apply(
    {
      ...admission,
      kind: 'MutatingAdmissionPolicy',
      spec: {
        reinvocationPolicy: 'Never',
        matchConstraints: { resourceRules: [updated] },
        matchConditions: [{ name: 'which', expression: `${which} && ${has}` }],
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
      },
    },
    { ...admission, kind: 'MutatingAdmissionPolicyBinding', spec: { policyName: 'no-variables' } },
  );
}

function variableOf(configMapName: string): string {
  return `STAKATER_${configMapName.toUpperCase().replaceAll('-', '_')}_CONFIGMAP`;
}

/** Patches of the StatefulSet by the reconciler; those `asked` are dry runs. */
async function patches(name: string): Promise<{ readonly stored: number; readonly asked: number }> {
  const entries = (await cluster.plane.auditEntries({ user: reconcilerUser })).filter(
    ({ verb, stage, objectRef }) =>
      verb === 'patch' && stage === 'ResponseComplete' && objectRef?.namespace === shop.name && objectRef.name === name,
  );
  const asked = entries.filter(({ requestURI }) => requestURI.includes('dryRun=All')).length;
  return { stored: entries.length - asked, asked };
}

it.each([
  ['without a webhook', 'stripped', [] as const],
  ['with the webhook', 'stripped-again', ['validating', 'mutating'] as const],
])(
  'a restart whose marker a MutatingAdmissionPolicy takes out is told as failed, and comes once it is kept: %s',
  async (_with, name, hooks) => {
    if (hooks.length > 0) {
      await cluster.register(hooks);
      await cluster.webhook();
    }
    await shop.createApp(name);
    await shop.adopted('StatefulSet', name);
    await stripVariables();
    const env = { spec: { template: { spec: { containers: [{ name: 'app', env: [{ name: 'A', value: 'a' }] }] } } } };
    await pollUntil('the policy to be in force', async () => {
      const path = `${objectPath('StatefulSet', shop.name, name)}?dryRun=All`;
      const { status, body } = await asReroll.patch(path, strategic, env);
      return status === 200 && !JSON.stringify(body['spec']).includes('"env"') ? true : undefined;
    });
    const before = await patches(name);
    const failedBefore = (await metricsOf(reroll)).sum('reloader_reload_errors_total');

    await shop.paint(name, 'blue');
    expect(await shop.eventWith(`ReloadFail ${name}: `)).toMatch(
      new RegExp(`StatefulSet ${shop.name}/${name} is not restarted: .* without variable ${variableOf(name)}`),
    );
    await pollUntil(
      'more attempts',
      async () => ((await patches(name)).asked >= before.asked + 3 ? true : undefined),
      patient,
    );
    // One write that stored the restart, and one that took it back.
    expect((await patches(name)).stored - before.stored).toBeLessThanOrEqual(2);
    await others.laterChangeAnswered();
    expect(await shop.restarts(name)).toBe(0);
    expect((await shop.events()).filter((event) => event.startsWith(`Reloaded ${name}`))).toEqual([]);
    expect(reroll.lines.filter(({ message }) => message === `StatefulSet ${shop.name}/${name} restarted`)).toEqual([]);
    expect((await metricsOf(reroll)).sum('reloader_reload_errors_total')).toBeGreaterThan(failedBefore);

    await cluster.plane.kubectl(['delete', 'mutatingadmissionpolicybinding', 'no-variables']);
    await shop.restarted(name, 1);
    await others.laterChangeAnswered();
    expect(await shop.restarts(name)).toBe(1);
  },
);
