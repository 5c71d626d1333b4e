import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { installOf, readInstall, type Install } from './install';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { refusal } from '../../shared/kube/transport/fake-transport';

function deployment(args: readonly string[], env: readonly object[] = []): object {
  const containers = [
    { name: 'sidecar', args: ['--dry-run'] },
    { name: 'reroll', args: ['reconciler', ...args], env },
  ];
  const metadata = { name: 'reroll', namespace: 'reroll', uid: 'u', resourceVersion: '1' };
  return { metadata, spec: { template: { spec: { containers } } } };
}

const flags = (args: readonly string[], env: readonly object[] = []): Install => installOf(deployment(args, env));

describe('the flags of an install', () => {
  it.each<[readonly string[], object]>([
    [
      [],
      {
        isKnown: true,
        dryRun: false,
        reloadOnCreate: false,
        reloadOnDelete: false,
        settleMs: 1_000,
        settleMaxMs: 10_000,
        callsInstead: false,
        gates: undefined,
      },
    ],
    [['--own-namespace=reroll', '--channel-listen=:8444', '--enable-ha=true'], { isKnown: true }],
    [['--reload-on-create=true'], { reloadOnCreate: true }],
    [['--reload-on-delete'], { reloadOnDelete: true }],
    [['--reload-on-create', 'false', '--settle', '5s'], { reloadOnCreate: false, settleMs: 5_000 }],
    [['--dry-run', '--reload-on-create', 'true'], { dryRun: true, reloadOnCreate: true }],
    [['--is-Argo-Rollouts', 'false'], { settings: { policy: { ignoredWorkloadKinds: ['Rollout'] } } }],
    [['--settle', '5s', '--log-level', 'debug'], { settleMs: 5_000 }],
    [['--settle-max=1m'], { settleMaxMs: 60_000 }],
    [
      ['--restart-windows=Sat,Sun', '--min-interval', '1h'],
      { gates: { windows: { text: 'Sat,Sun' }, minIntervalMs: 3_600_000 } },
    ],
    [['--restart=next-rollout'], { gates: { mode: 'next-rollout' } }],
    [['--dry-run=true'], { dryRun: true }],
    [['--webhook-url=http://ci'], { callsInstead: true }],
    [['--auto-reload-all'], { settings: { policy: { autoReloadAll: true } } }],
    [['--is-Argo-Rollouts=false'], { settings: { policy: { ignoredWorkloadKinds: ['Rollout'] } } }],
    [['--ignored-workload-types=jobs'], { settings: { policy: { ignoredWorkloadKinds: ['Job'] } } }],
    [['--enable-csi-integration'], { settings: { csi: true } }],
    [['--namespaces=shop,pay'], { settings: { selection: { namespaces: ['shop', 'pay'] } } }],
    [['--namespaces-to-ignore=shop'], { settings: { selection: { namespacesToIgnore: ['shop'] } } }],
    [['--namespace-selector=env=prod'], { settings: { selection: { namespaceSelector: { text: 'env=prod' } } } }],
    [['--resource-label-selector=a=b'], { settings: { selection: { sourceSelector: { text: 'a=b' } } } }],
    [['--resources-to-ignore=secrets'], { settings: { selection: { ignoredSourceKinds: ['Secret'] } } }],
    [['--auto-annotation=x/y'], { settings: { keys: { ...defaultAnnotationKeys, auto: 'x/y' } } }],
    [['--settle=soon'], { isKnown: false, settleMs: 1_000 }],
  ])('%j', (args, expected) => {
    expect(flags(args)).toMatchObject(expected);
  });

  it('may be variables', () => {
    const env = [
      { name: 'REROLL_SETTLE', value: '2s' },
      { name: 'KUBERNETES_NAMESPACE', value: 'shop' },
      { name: 'REROLL_LOG_LEVEL', value: 'debug' },
      { name: 'POD_NAME', valueFrom: {} },
    ];
    expect(flags([], env)).toMatchObject({ settleMs: 2_000, settings: { selection: { namespaces: ['shop'] } } });
  });

  it('may be a variable with the namespace of the pod', () => {
    const valueFrom = { fieldRef: { fieldPath: 'metadata.namespace' } };
    const { settings } = flags([], [{ name: 'KUBERNETES_NAMESPACE', valueFrom }]);
    expect(settings.selection.namespaces).toEqual(['reroll']);
  });

  it('are read from the Deployment of the reconciler, or else assumed', async () => {
    const items = [deployment(['--dry-run'])];
    const { client, transport } = clientWorld(() => ({ body: { items } }));
    expect(await readInstall(client, 'reroll', {})).toMatchObject({ isKnown: true, dryRun: true });
    expect(transport.requests[0]?.path).toBe(
      '/apis/apps/v1/namespaces/reroll/deployments?labelSelector=app.kubernetes.io%2Fcomponent%3Dreconciler',
    );
    for (const reply of [{ body: { items: [] } }, refusal(403, 'Forbidden'), refusal(404, 'NotFound')]) {
      expect(await readInstall(clientWorld(() => reply).client, 'reroll', {})).toMatchObject({
        isKnown: false,
        dryRun: false,
      });
    }
  });
});
