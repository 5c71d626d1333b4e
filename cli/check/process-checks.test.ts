import { LeaderSilentError } from '../cluster/silence';
import { channelCheck } from './channel-check';
import { clockCheck } from './clock-check';
import { engineCheck } from './engine-check';
import { rows } from './check-rows.fixture';
import type { TestInstall } from './install.fixture';
import { leader } from './install.fixture';
import { leaseCheck } from './lease-check';
import { replicasCheck } from './replicas-check';
import { versionsCheck } from './versions-check';
import { watchesCheck } from './watches-check';

const silent = (install: TestInstall): void => {
  install.silence = new LeaderSilentError('no-right', 'you may not get pods/portforward in namespace reroll');
};
const spec = (install: TestInstall, kind: string, name: string) => install.specOf(kind, name);
const noWebhookPod = (install: TestInstall): void =>
  ['reroll-webhook-1', 'reroll-webhook-2'].forEach((name) => install.remove('Pod', name));
const noPod = (install: TestInstall): void => install.remove('Pod', leader);

rows(leaseCheck, [
  [
    'it is not there',
    (install) => install.remove('Lease'),
    'failed',
    /^there is no Lease reroll\/reroll$/,
    /--lease-name/,
  ],
  [
    'nobody holds it',
    (install) => (spec(install, 'Lease', 'reroll').holderIdentity = ''),
    'failed',
    /^nobody holds/,
    // By label, kubectl prints ten lines of each pod, unless it is told to print all.
    /kubectl -n reroll logs -l app\.kubernetes\.io\/component=reconciler --tail=-1$/,
  ],
  [
    'its holder is gone',
    (install) => (spec(install, 'Lease', 'reroll').renewTime = '2025-12-31T23:50:00.000000Z'),
    'failed',
    /^nobody leads: reroll-7d9f8b6c5-x2x4z renewed Lease reroll\/reroll 10 minutes ago$/,
  ],
  [
    'nobody has ever renewed it',
    (install) => delete spec(install, 'Lease', 'reroll').renewTime,
    'failed',
    /^nobody leads: reroll-7d9f8b6c5-x2x4z has never renewed Lease reroll\/reroll$/,
  ],
  // Its own clock says that the Lease was renewed long ago, and that is of no account.
  ['the clock of this machine is off', (install) => install.ownClock.jump(3_600_000), 'ok', /renewed 2 seconds ago$/],
  [
    'it was stopped',
    (install) => {
      install.remove('Lease');
      spec(install, 'Deployment', 'reroll').replicas = 0;
    },
    'warning',
    /^nobody leads, and nothing restarts: Deployment reroll has 0 replicas/,
    /^kubectl -n reroll scale deployment\/reroll --replicas=1$/,
  ],
  [
    'a dry run',
    (install) => {
      install.remove('Lease');
      install.containerOf('reroll').args.push('--dry-run');
    },
    'ok',
    /^a dry run needs no Lease/,
  ],
  ['its holder is no pod', noPod, 'warning', /is no pod of namespace reroll$/],
  [
    'its holder has a random suffix',
    (install) => (spec(install, 'Lease', 'reroll').holderIdentity = `${leader}-0a1b2c3d`),
    'ok',
    /^reroll-7d9f8b6c5-x2x4z-0a1b2c3d leads/,
  ],
  [
    'its pod is not ready',
    (install) => (install.object('Pod', leader).status = { conditions: [{ type: 'Ready', status: 'False' }] }),
    'warning',
    /its pod is not ready$/,
  ],
  [
    'it may not be read',
    (install) => install.refused.add('get leases'),
    'unknown',
    /^you may not get leases.coordination/,
  ],
  [
    'pods may not be read',
    (install) => install.refused.add('list pods'),
    'ok',
    /you may not list pods in namespace reroll/,
  ],
]);

rows(replicasCheck, [
  [
    'none is available',
    (install) => (install.object('Deployment', 'reroll-webhook').status = {}),
    'failed',
    /^0 of 2 pods of Deployment reroll-webhook are available$/,
    /describe pods -l app.kubernetes.io\/component=webhook$/,
  ],
  [
    'one is missing',
    (install) => (install.object('Deployment', 'reroll-webhook').status = { availableReplicas: 1 }),
    'warning',
    /^1 of 2 pods/,
  ],
  [
    'it was stopped',
    (install) => (spec(install, 'Deployment', 'reroll').replicas = 0),
    'warning',
    /it was stopped, and nothing restarts$/,
  ],
  [
    'another namespace',
    (install) => install.remove('Deployment'),
    'unknown',
    /^no Deployment in namespace reroll/,
    /--reroll-namespace/,
  ],
  [
    'a missing right',
    (install) => install.refused.add('list deployments'),
    'unknown',
    /^you may not list deployments.apps in namespace reroll$/,
  ],
]);

rows(versionsCheck, [
  [
    'the leader is older',
    (install) => (install.health = { ...install.health, version: '0.0.0' }),
    'warning',
    /^versions differ: 0\.0\.0 \(the leader\), 0\.0\.0-test \(the label of/,
    /^finish the upgrade/,
  ],
  [
    'an image is older than its label',
    (install) => (install.containerOf('reroll').image = 'mirror:5000/reroll:v0.0.1'),
    'warning',
    /0\.0\.1 \(the image of reroll\)/,
  ],
  [
    'an image has a tag of its own',
    (install) => (install.containerOf('reroll').image = 'mirror:5000/reroll:stable'),
    'ok',
    /0\.0\.0-test$/,
  ],
  [
    'this command is newer',
    (install) => {
      install.health = { ...install.health, version: '0.0.0' };
      install.refused.add('list deployments');
    },
    'warning',
    /0\.0\.0-test \(this command\)/,
    /^use this command of version 0\.0\.0$/,
  ],
  [
    'nothing may be read',
    (install) => {
      silent(install);
      install.refused.add('list deployments');
    },
    'unknown',
    /^you may not list deployments/,
  ],
]);

rows(engineCheck, [
  [
    'it makes no progress',
    (install) => (install.health = { ...install.health, problem: 'digest key: 500' }),
    'failed',
    /^acting: digest key: 500$/,
  ],
  [
    'it has just started',
    (install) => (install.health = { ...install.health, state: 'starting' }),
    'warning',
    /^it is starting$/,
  ],
  [
    'it is listing',
    (install) => (install.health = { ...install.health, state: 'syncing' }),
    'warning',
    /first lists are not complete/,
  ],
  [
    'a workload waits for long',
    (install) =>
      (install.health = { ...install.health, queue: { length: 3, oldestDueSince: '2025-12-31T23:50:00.000Z' } }),
    'warning',
    /^3 workloads wait, the first could have been looked at 10 minutes ago$/,
  ],
  [
    'workloads settle',
    (install) => (install.health = { ...install.health, queue: { length: 1 } }),
    'ok',
    /^acting, 1 workload to be/,
  ],
  [
    'something is unusual',
    (install) => (install.health = { ...install.health, remark: 'without a right to the Lease' }),
    'warning',
    /^without a right/,
  ],
  ['the leader is silent', silent, 'unknown', /^the leader was not asked: you may not get pods\/portforward/],
]);

const watch = { name: 'secrets', state: 'backing-off', listed: true, watching: true } as const;

rows(watchesCheck, [
  [
    'one fails',
    (install) => (install.health = { ...install.health, watches: [{ ...watch, problem: '403 forbidden' }] }),
    'failed',
    /^behind: secrets \(403 forbidden\)$/,
  ],
  [
    'one lists',
    (install) => (install.health = { ...install.health, watches: [{ ...watch, state: 'listing', listed: false }] }),
    'failed',
    /secrets \(listing\)/,
  ],
  [
    'one does not follow',
    (install) => (install.health = { ...install.health, watches: [{ ...watch, watching: false }] }),
    'failed',
    /secrets \(backing-off\)/,
  ],
  [
    'there are none',
    (install) => (install.health = { ...install.health, watches: [] }),
    'failed',
    /watches nothing yet/,
  ],
  ['the leader is silent', silent, 'unknown', /was not asked/],
]);

rows(clockCheck, [
  [
    'this machine is behind',
    (install) => install.ownClock.jump(-90_000),
    'warning',
    /^the clock of this machine is 90 seconds behind the API server's$/,
  ],
  ['this machine is a little ahead', (install) => install.ownClock.jump(3_000), 'ok', /agree/],
  [
    "the leader's is ahead",
    (install) => (install.health = { ...install.health, clockAheadMs: 61_000 }),
    'warning',
    /leader's node is 61 seconds ahead/,
  ],
  [
    'the leader is older',
    (install) => {
      install.health = { ...install.health, clockAheadMs: undefined };
    },
    'unknown',
    /this version does not tell/,
  ],
  ['the leader is silent', silent, 'unknown', /it was not asked/],
]);

const records = (install: TestInstall, more: object): void => {
  install.health = { ...install.health, records: { ...install.health.records!, ...more } };
};

rows(channelCheck, [
  [
    'it refuses the last records',
    (install) =>
      records(install, { refused: 4, lastRefusedAt: '2025-12-31T23:59:00.000Z', lastRefusedBecause: 'foreign_key' }),
    'warning',
    /^the leader refused 4 change records, the last 1 minute ago \(foreign_key\)$/,
    /^restart webhook and reconciler/,
  ],
  [
    'it refused some, and takes the last ones',
    (install) =>
      records(install, { refused: 4, lastRefusedAt: '2025-12-31T22:00:00.000Z', lastRefusedBecause: 'stale' }),
    'ok',
    /^the leader took 12 change records, the last 3 minutes ago$/,
  ],
  [
    'none has arrived',
    (install) => records(install, { taken: 0, lastTakenAt: undefined }),
    'unknown',
    /^no change record has arrived/,
  ],
  [
    'the webhook finds no reconciler',
    (install) => (install.metrics = { reroll_channel_replicas: 0 }),
    'failed',
    /^reroll-webhook-1 and reroll-webhook-2 of the webhook knows no reconciler$/,
  ],
  [
    'there is no webhook',
    (install) => (spec(install, 'Deployment', 'reroll-webhook').replicas = 0),
    'ok',
    /there is no webhook/,
  ],
  [
    'there is no webhook, and none is registered',
    (install) => {
      install.remove('ValidatingWebhookConfiguration');
      install.remove('MutatingWebhookConfiguration');
      install.remove('Deployment', 'reroll-webhook');
      noWebhookPod(install);
    },
    'ok',
    /^there is no webhook$/,
  ],
  [
    'no pod of it is ready, and Deployments may not be read',
    (install) => {
      noWebhookPod(install);
      install.refused.add('list deployments');
    },
    'unknown',
    /^no pod of the webhook is ready$/,
  ],
  [
    'neither pods nor Deployments may be read',
    (install) => ['list pods', 'list deployments'].forEach((right) => install.refused.add(right)),
    'unknown',
    /^you may not list pods/,
  ],
  [
    'no port may be forwarded',
    (install) => install.refused.add('get pods/portforward'),
    'unknown',
    /you may not get pods\/portforward/,
  ],
  ['the leader is silent', silent, 'unknown', /was not asked/],
  [
    'the leader is older',
    (install) => {
      install.health = { ...install.health, records: undefined };
    },
    'unknown',
    /^the leader does not tell what it receives: it has no digest key yet, or is older$/,
  ],
  [
    'changes are passed on',
    (install) => {
      install.health = { ...install.health, records: undefined };
      install.containerOf('reroll').args.push('--webhook-url=http://ci');
    },
    'ok',
    /^with --webhook-url the leader takes no change records$/,
  ],
]);
