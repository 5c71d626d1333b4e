import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bundlePath, type RerollProcess } from '../reroll-process';
import { untilCalled } from './probe';
import { namespace, RerollCluster } from './reroll-cluster';

/** Who looks after the install: may read what `reroll check` reads, and create ConfigMaps. */
const checking = {
  ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'checking' } },
  rules: [
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
      verbs: ['get', 'list'],
    },
    { apiGroups: [''], resources: ['namespaces', 'pods'], verbs: ['get', 'list'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  ],
} as const;

let cluster: RerollCluster;
let webhook: RerollProcess;

beforeAll(async () => {
  cluster = await RerollCluster.start();
  const user = 'keeper';
  await cluster.apply(checking, {
    ...{ apiVersion: checking.apiVersion, kind: 'ClusterRoleBinding', metadata: { name: 'checking-keeper' } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'checking' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
  webhook = await cluster.webhook();
  await untilCalled(cluster, webhook);
});

afterAll(async () => await cluster.stop());

/** The lines of `reroll check`, by the name of the check, and the exit code. */
async function check(): Promise<{ readonly rows: ReadonlyMap<string, string>; readonly code: unknown }> {
  const kubeconfig = await cluster.plane.kubeconfigFor('keeper');
  const args = [bundlePath, 'check', '-n', namespace, `--kubeconfig=${kubeconfig}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const rows = [...out.matchAll(/^(ok|warning|failed|unknown) +([\w-]+) +(.*)$/gm)];
  return { rows: new Map(rows.map(([, state = '', name = '', says = '']) => [name, `${state}: ${says}`])), code };
}

describe('reroll check, by somebody who may read how the webhook is registered', () => {
  it('finds that it answers, and then that it is down', async () => {
    const { rows } = await check();
    expect(rows.get('registrations')).toMatch(/^ok: ValidatingWebhookConfiguration reroll, \d+ webhooks$/);
    expect(rows.get('webhook-call')).toBe(`ok: the webhook answered a dry run in namespace ${namespace}`);
    await webhook.end();
    const down = await check();
    expect(down.rows.get('webhook-call')).toMatch(
      new RegExp(
        `^failed: the webhook did not answer a dry run in namespace ${namespace}, and writes go on without it: `,
      ),
    );
    expect(down.code).toBe(1);
  });
});
