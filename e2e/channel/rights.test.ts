import { describe, expect, it } from '@jest/globals';
import { preparedKeyPairs } from '../../certs/issuing.fixture';
import { Keeper } from '../../certs/keeper';
import { CertsMetrics } from '../../certs/metrics';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { tlsSource } from '../../shared/kube/secrets/tls-source';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { RecordingLogger, type LogLine } from '../../shared/runtime/log/recording-logger';
import { WebhookEngine } from '../../webhook/process/engine';
import { WebhookMetrics } from '../../webhook/metrics';
import {
  deploymentConfig,
  deploymentConfigKind,
  rollout,
  rolloutKind,
  secretProviderClassKind,
  secretProviderClassPodStatusKind,
} from '../apiserver/add-ons';
import { reviewBody } from '../apiserver/admission-review';
import { configMap, cronJob, deployment, fromConfigMap, job, secret } from '../apiserver/cluster';
import { inProcessTransport } from '../apiserver/in-process-transport';
import type { PolicyRule } from '../apiserver/rbac';
import type { ObjectInput } from '../apiserver/objects';
import { customKind } from '../apiserver/resources';
import { ownNamespace } from '../engine-settings';
import { Harness } from '../engine/harness';
import { shippedSecrets } from '../shipped-secrets';
import { webhookConfiguration } from '../../webhook/registration/webhook-configuration';
import { accounts, deployedRights, type Room } from './deployed-rights';

const auto = { 'reloader.stakater.com/auto': 'true' };
const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };
const slices = customKind({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
});

const registrationKinds = ['Validating', 'Mutating'].map((prefix) =>
  customKind({
    ...{ group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false },
    ...{ kind: `${prefix}WebhookConfiguration`, plural: `${prefix.toLowerCase()}webhookconfigurations` },
  }),
);

const addOns = [rolloutKind, deploymentConfigKind, secretProviderClassKind, secretProviderClassPodStatusKind];

/** A cluster in which a room has its deployed rights, except the rule with the index `missing`. */
function world(room: Room, missing?: number): Harness {
  const harness = new Harness({ customKinds: [slices, ...registrationKinds, ...addOns] });
  harness.seed(...shippedSecrets());
  const rights = deployedRights(room).filter((_rule, index) => index !== missing);
  harness.server.rbac.restrict(accounts[room], rights);
  return harness;
}

/** The requests that were denied to a room, each once. */
function denied({ server }: Harness, room: Room) {
  const refused = server.requests().filter(({ user, code }) => user === accounts[room] && code === 403);
  return [...new Set(refused.map(({ verb, resource }) => `verb "${verb}" on resource "${resource.split('.')[0]!}"`))];
}

/** Runs the reconciler for a while, so that it needs each of its rights. Resolves with its warnings. */
async function reconciler(harness: Harness): Promise<readonly string[]> {
  harness.seed(
    configMap({ name: 'app', data: { color: 'red' } }),
    deployment({ name: 'web', ...uses }),
    cronJob({ name: 'tick', ...uses }),
    job({ name: 'once', ...uses }),
    rollout({ name: 'canary', ...uses }),
    deploymentConfig({ name: 'old', ...uses }),
  );
  const engine = await harness.start({ csi: true });
  // The first restarts create a part of the history, and the next ones update it.
  for (const color of ['blue', 'green']) {
    await harness.edit('ConfigMap', 'app', { color });
    await harness.clock.advance(60_000);
  }
  return warnings(engine.lines);
}

/** Runs the parts of the webhook that call the API server. Resolves with their warnings. */
async function webhook(harness: Harness): Promise<readonly string[]> {
  const { clock, random } = harness;
  const logger = new RecordingLogger();
  // The reconciler creates this Secret.
  harness.seed(secret({ name: 'reroll-digest-key', namespace: ownNamespace, data: { key: 'k'.repeat(32) } }));
  const transport = inProcessTransport(harness.server, accounts.webhook);
  const credentials = staticCredentials({});
  const client = new KubeClient({ transport, clock, logger, credentials, userAgent: 'w' });
  const deps = { client, clock, random, logger };
  const source = { namespace: ownNamespace, secretName: 'reroll-certs', directory: undefined };
  const certificate = tlsSource(deps, { ...source, leaf: 'webhook' });
  const engine = new WebhookEngine(
    { ...deps, metrics: new WebhookMetrics(), transport: { post: async () => await Promise.resolve({ status: 202 }) } },
    {
      ...{ ownNamespace, webhookService: 'reroll-webhook', channelService: 'reroll-channel' },
      ...{ reconcilerAddresses: [], register: [], injectCaFrom: undefined },
      ...{ preview: true, lint: true, quietNamespaces: [] },
    },
  );
  engine.start();
  certificate.start();
  const isSchema = { 'reroll.dev/is-schema': 'true' };
  harness.seed(configMap({ name: 'shapes', annotations: isSchema, data: { 'app.json': '{}' } }));
  const checked = { name: 'app', annotations: { 'reroll.dev/schema': 'shapes' }, data: { 'app.json': '{}' } };
  const exchange = engine.handler.begin({ path: 'validate', answer: () => undefined });
  exchange.push(
    reviewBody({
      ...{ uid: 'review-1', operation: 'CREATE', name: 'app', namespace: 'default', userInfo: { username: 'alice' } },
      ...{ kind: { group: '', version: 'v1', kind: 'ConfigMap' }, object: configMap(checked), oldObject: null },
    }),
  );
  exchange.end();
  await clock.advance(10_000);
  return warnings(logger.lines);
}

const keyPairs = preparedKeyPairs(7);

/** Runs the keeper of certificates, tokens and registrations. Resolves with its warnings. */
async function certs(harness: Harness): Promise<readonly string[]> {
  const { clock, random } = harness;
  const logger = new RecordingLogger();
  const service = { namespace: ownNamespace, name: 'reroll-webhook' };
  harness.seed(
    ...(['validating', 'mutating'] as const).map(
      (type) => webhookConfiguration(type, service) as object as ObjectInput,
    ),
  );
  const transport = inProcessTransport(harness.server, accounts.certs);
  const client = new KubeClient({ transport, clock, logger, credentials: staticCredentials({}), userAgent: 'c' });
  const metrics = new CertsMetrics(new MetricRegistry(), { certificates: true });
  const hourMs = 3_600_000;
  const keeper = new Keeper(
    { ...{ client, clock, random, logger, metrics }, keyPairs },
    {
      names: { namespace: ownNamespace, webhookService: service.name, channelService: 'reroll-channel' },
      configurations: { validating: 'reroll', mutating: 'reroll' },
      ...{ lifetimes: { caLifeMs: 24 * hourMs, leafLifeMs: hourMs }, tokenLifeMs: hourMs },
    },
  );
  keeper.start();
  await clock.advance(120_000);
  const stopping = keeper.stop();
  await clock.settle();
  await stopping;
  return warnings(logger.lines);
}

function warnings(lines: readonly LogLine[]): readonly string[] {
  return lines.filter(({ level }) => level === 'warn').map(({ fields }) => String(fields['error']));
}

const lifetimes = { reconciler, webhook, certs };

describe.each(['reconciler', 'webhook', 'certs'] as const)('the rights that the manifests give to the %s', (room) => {
  it('are enough', async () => {
    const harness = world(room);
    await lifetimes[room](harness);
    expect(denied(harness, room)).toEqual([]);
  });

  it.each(
    deployedRights(room).flatMap((rule, index) =>
      isSometimesAsked(rule) ? [] : [[describeRule(rule), index] as const],
    ),
  )('are not too many: what needs %s is refused without it, and says which right to grant', async (_what, index) => {
    const harness = world(room, index);
    const told = await lifetimes[room](harness);
    const missing = denied(harness, room);
    expect(missing).not.toEqual([]);
    for (const right of missing) expect(told).toContainEqual(expect.stringContaining(`the ${right}`));
  });
});

/**
 * The hold of everything, which the ClusterRole grants too if it is bound in the whole cluster, and Services, which only
 * health checks of workloads that restart first ask for: see service-check.test.ts.
 */
function isSometimesAsked({ resourceNames = [], resources }: PolicyRule): boolean {
  return resourceNames.includes('reroll-hold') || resources.includes('services');
}

describe('the right to the hold of everything, where the ClusterRole is bound in some namespaces', () => {
  const within = ['default'];

  async function start(rights: readonly PolicyRule[]): Promise<[Harness, readonly string[]]> {
    const harness = new Harness({ customKinds: addOns });
    harness.seed(configMap({ name: 'app' }));
    harness.server.rbac.restrict(accounts.reconciler, rights);
    const engine = await harness.start({ namespaces: within });
    await harness.clock.advance(60_000);
    return [harness, warnings(engine.lines)];
  }

  const bound = deployedRights('reconciler').map((rule) => ({ namespaces: within, ...rule }));

  it('is enough', async () => {
    const [harness] = await start(bound);
    expect(denied(harness, 'reconciler')).toEqual([]);
  });

  it('is needed', async () => {
    const [harness, told] = await start(bound.filter((rule) => !isSometimesAsked(rule)));
    expect(denied(harness, 'reconciler').toSorted()).toEqual([
      'verb "list" on resource "configmaps"',
      'verb "watch" on resource "configmaps"',
    ]);
    expect(told).toContainEqual(expect.stringContaining('the verb "watch" on resource "configmaps"'));
  });
});

it('restarts also where neither Events nor StatefulSets are allowed', async () => {
  const harness = new Harness({ customKinds: addOns });
  const allowed = deployedRights('reconciler').flatMap((rule) => {
    const resources = rule.resources.filter((resource) => !['events', 'statefulsets'].includes(resource));
    return resources.length > 0 ? [{ ...rule, resources }] : [];
  });
  harness.server.rbac.restrict(accounts.reconciler, allowed);
  await reconciler(harness);
  expect(harness.restarts('Deployment', 'web')).toBe(2);
});

function describeRule({ verbs, resources, resourceNames }: PolicyRule): string {
  return [verbs.join('/'), resources.join('/'), ...(resourceNames ?? [])].join(' ');
}
