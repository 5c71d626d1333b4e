import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { bodyOf, clientWorld, zeroRandom } from '../../shared/kube/client/client.fixture';
import { noAnswer, refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import { manifestText } from './manifests';
import { Registration } from './registration';
import { webhookConfiguration, type HookType } from './webhook-configuration';

const service = { namespace: 'reroll', name: 'reroll-webhook' };
const stored: Reply = { body: { metadata: { name: 'reroll', uid: 'u', resourceVersion: '1' } } };

function world(types: readonly HookType[], handler: (index: number) => Reply | Promise<Reply> = () => stored) {
  const { client, clock, logger, transport } = clientWorld((_request, index) => handler(index));
  const registration = new Registration({ client, clock, logger, random: zeroRandom, service, types });
  return { registration, clock, logger, requests: transport.requests };
}

describe('Registration', () => {
  it.each<[readonly HookType[]]>([[[]], [['validating']], [['mutating']], [['validating', 'mutating']]])(
    'applies %j and owns what it applies',
    async (types) => {
      const { registration, clock, requests } = world(types);
      registration.start();
      await clock.settle();
      expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
        types.map(
          (type) =>
            `PATCH /apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations/reroll?fieldManager=reroll-webhook&force=true`,
        ),
      );
      expect(requests.map(bodyOf)).toEqual(types.map((type) => webhookConfiguration(type, service)));
      await registration.stop();
    },
  );

  it('retries until the API server accepts it', async () => {
    const { registration, clock, requests, logger } = world(['validating'], (index) =>
      index < 3 ? refusal(403, 'Forbidden', 'cannot patch resource') : stored,
    );
    registration.start();
    await clock.advance(3_000);
    expect(requests).toHaveLength(4);
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'warn', 'info']);
    await clock.advance(600_000);
    expect(requests).toHaveLength(4);
  });

  it('can be stopped at any time', async () => {
    const { registration, clock, logger } = world(['validating'], () => noAnswer());
    registration.start();
    await clock.settle();
    await registration.stop();
    expect(clock.pendingTimers).toBe(0);
    expect(logger.lines).toEqual([]);
  });
});

describe('webhookConfiguration', () => {
  const webhooks = webhookConfiguration('validating', service).webhooks;

  it('fails open after a short timeout, and has no side effects in a dry run', () => {
    for (const webhook of webhooks) {
      expect(webhook).toMatchObject({ failurePolicy: 'Ignore', timeoutSeconds: 2, sideEffects: 'NoneOnDryRun' });
    }
  });

  it('has one webhook for each kind of source and workload, namespaced only', () => {
    const rules = webhooks.flatMap((webhook) => webhook.rules);
    expect(rules.map(({ apiGroups: [group], resources: [resource] }) => `${resource}.${group}`)).toEqual([
      ...['configmaps.', 'secrets.', 'deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'cronjobs.batch'],
      ...['jobs.batch', 'rollouts.argoproj.io', 'deploymentconfigs.apps.openshift.io'],
      ...['replicasets.apps', 'replicationcontrollers.'],
    ]);
    for (const rule of rules) expect(rule).toMatchObject({ scope: 'Namespaced', operations: ['CREATE', 'UPDATE'] });
    expect(new Set(webhooks.map(({ name }) => name)).size).toBe(webhooks.length);
  });

  it('skips the many objects that controllers create from workloads', () => {
    const limited = webhooks.filter(({ matchConditions }) =>
      matchConditions.some(({ name }) => name === 'not-controlled'),
    );
    expect(limited.map(({ rules }) => rules[0]?.resources)).toEqual([
      ['jobs'],
      ['replicasets'],
      ['replicationcontrollers'],
    ]);
  });

  it("excludes the system namespaces and Reroll's own", () => {
    for (const { namespaceSelector } of webhooks) {
      expect(namespaceSelector.matchExpressions[0]?.values).toEqual([
        'kube-system',
        'kube-public',
        'kube-node-lease',
        'reroll',
      ]);
    }
  });

  it.each(['validating', 'mutating'] as const)('sets neither caBundle nor path, %s', (type) => {
    for (const { clientConfig } of webhookConfiguration(type, service).webhooks) {
      expect(clientConfig).toEqual({ service: { namespace: 'reroll', name: 'reroll-webhook', port: 443 } });
    }
  });

  it('asks cert-manager to inject its CA if configured', () => {
    const { metadata } = webhookConfiguration('validating', { ...service, injectCaFrom: 'reroll/reroll-webhook' });
    expect(metadata.annotations).toEqual({ 'cert-manager.io/inject-ca-from': 'reroll/reroll-webhook' });
    expect(webhookConfiguration('validating', service).metadata.annotations).toBeUndefined();
  });

  it('has one webhook for each kind of workload if it is mutating', () => {
    const mutating = webhookConfiguration('mutating', service).webhooks;
    const rules = mutating.flatMap((webhook) => webhook.rules);
    expect(rules.map(({ apiGroups: [group], resources: [resource] }) => `${resource}.${group}`)).toEqual([
      ...['configmaps.', 'secrets.', 'deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'cronjobs.batch'],
      'rollouts.argoproj.io',
    ]);
    expect(new Set(mutating.map(({ name }) => name)).size).toBe(mutating.length);
  });

  it.each(['validating', 'mutating'] as const)(
    'checks that each optional field exists before reading it, %s',
    (type) => {
      // If an expression fails, the webhook is not called.
      for (const { matchConditions } of webhookConfiguration(type, service).webhooks) {
        for (const { expression } of matchConditions) {
          const optional = /(?:object|oldObject)\.(?:metadata\.)?\w+|request\.(?:name|dryRun|userInfo\.username)/g;
          for (const [field] of expression.matchAll(optional)) expect(expression).toContain(`has(${field})`);
        }
      }
    },
  );
});

describe.each(readdirSync('deploy').filter((file) => file.endsWith('.yaml')))('deploy/%s', (file) => {
  const objects = parseAllDocuments(readFileSync(`deploy/${file}`, 'utf8')).map(
    (document) =>
      document.toJS() as {
        readonly kind: string;
        readonly webhooks?: readonly { readonly rules: readonly Readonly<Record<string, unknown>>[] }[];
        readonly rules?: readonly Readonly<Record<string, readonly string[]>>[];
      },
  );

  it('has neither caBundle nor path: applying the file would overwrite what their owners set', () => {
    expect(JSON.stringify(objects)).not.toMatch(/caBundle|"path"/i);
  });

  it('registers only for namespaced sources and workloads, so that a cluster can start without it', () => {
    const rules = objects.flatMap(({ webhooks = [] }) => webhooks).flatMap((webhook) => webhook.rules);
    const workloads = [
      ...workloadKinds.map(({ resource }) => resource.plural),
      'replicasets',
      'replicationcontrollers',
    ];
    for (const { resources, scope } of rules) {
      expect(scope).toBe('Namespaced');
      expect(['configmaps', 'secrets', ...workloads]).toEqual(expect.arrayContaining(resources as string[]));
    }
  });

  it('has no wildcard permission, and none to write ConfigMaps or Secrets of others', () => {
    for (const { kind, rules = [] } of objects.filter((object) => /Role$/.test(object.kind))) {
      for (const { apiGroups = [], resources = [], verbs = [], resourceNames = [] } of rules) {
        expect([...apiGroups, ...resources, ...verbs, ...resourceNames]).not.toContain('*');
        if (kind === 'ClusterRole' && (resources.includes('secrets') || resources.includes('configmaps'))) {
          expect(['get', 'list', 'watch']).toEqual(expect.arrayContaining([...verbs]));
        }
      }
    }
  });
});

describe('deploy/webhook.yaml', () => {
  it('is what the generator writes', () => {
    expect(readFileSync('deploy/webhook.yaml', 'utf8')).toBe(manifestText());
  });
});
