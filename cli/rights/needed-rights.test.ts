import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../shared/kube/client/objects';
import { partOf, type Component, type Part } from '../parts/part';
import { missingRights, spareRights } from './compare-rights';
import type { GrantedRule } from './granted-rights';
import { neededRights } from './needed-rights';
import { describeRights } from './right';

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

function part(component: Component, args: readonly string[] = [], env: readonly object[] = []): Part {
  const containers = [{ args: [component, ...args], env }];
  const labels = { 'app.kubernetes.io/component': component };
  const object: KubeObject = {
    metadata: { name: component, namespace: 'reroll', uid: 'u', resourceVersion: '1', labels },
    spec: { template: { spec: { containers } } },
  };
  return partOf(object)!;
}

const needs = (component: Component, args: readonly string[] = []): readonly string[] =>
  describeRights(neededRights(part(component, args), 'reroll'));

/** What the plain manifests grant to an account. */
function granted(name: string): readonly GrantedRule[] {
  const roles = ['rbac.yaml', 'webhook.yaml'].flatMap((file) =>
    parseAllDocuments(readFileSync(join(__dirname, '..', '..', 'deploy', file), 'utf8')).map(
      (each) => each.toJS() as Role,
    ),
  );
  return roles
    .filter(({ kind, metadata }) => /^(Cluster)?Role$/.test(kind) && metadata.name === name)
    .flatMap(({ kind, metadata, rules }) =>
      rules.map(({ apiGroups: groups, resources, resourceNames: names = [], verbs }) => ({
        ...{ groups, resources, names, verbs, role: kind, isOwn: true },
        namespace: metadata.namespace,
      })),
    );
}

describe('deploy/rbac.yaml and deploy/webhook.yaml', () => {
  it.each<[Component, string, readonly string[]]>([
    [
      'reconciler',
      'reroll',
      // As comments there say, these are for flags.
      [
        'list/watch secretproviderclasses.secrets-store.csi.x-k8s.io',
        'list/watch secretproviderclasspodstatuses.secrets-store.csi.x-k8s.io',
        'get services',
      ],
    ],
    ['webhook', 'reroll-webhook', []],
    ['certs', 'reroll-certs', []],
  ])('grants what the %s needs, and says what is for flags', (component, account, forFlags) => {
    const needed = neededRights(part(component), 'reroll');
    expect(missingRights(needed, granted(account))).toEqual([]);
    expect(describeRights(spareRights(needed, granted(account)))).toEqual(forFlags);
  });

  it('is for every flag', () => {
    const flags = ['--enable-csi-integration', '--healthy-urls'];
    const needed = neededRights(part('reconciler', flags), 'reroll');
    expect(missingRights(needed, granted('reroll'))).toEqual([]);
    expect(spareRights(needed, granted('reroll'))).toEqual([]);
  });
});

const written = 'get/list/watch/create/patch/delete';

describe('what a part needs', () => {
  it.each<[readonly string[], readonly string[], readonly string[]]>([
    [['--ignored-workload-types=jobs'], ['create jobs.batch'], ['get/list/watch/patch/create/delete jobs.batch']],
    [['--ignored-workload-types=jobs,cronjobs'], [], ['create jobs.batch', 'get/list/watch/patch cronjobs.batch']],
    [['--is-Argo-Rollouts=false'], [], ['get/list/watch/patch rollouts.argoproj.io']],
    [['--healthy-urls'], ['get services'], []],
    [['--healthy-urls=true', '--namespaces=shop'], ['get services in namespace shop'], ['get services']],
    [['--healthy-urls=false'], [], ['get services']],
    [['--resources-to-ignore=configMaps'], ['get/list/watch secrets'], ['get/list/watch configmaps']],
    [
      ['--webhook-url=http://ci'],
      ['get/list/watch secrets'],
      ['get/list/watch/patch deployments.apps', 'list/watch namespaces', 'list/watch configmaps reroll-hold in namespace reroll'], // prettier-ignore
    ],
    [['--webhook-url=http://ci', '--namespace-selector=a=b'], ['list/watch namespaces'], []],
    [[], ['list/watch namespaces', 'list/watch configmaps reroll-hold in namespace reroll'], []],
    [
      ['--dry-run'],
      ['get/list/watch deployments.apps', 'list/watch configmaps reroll-hold in namespace reroll'],
      ['create events', 'get/create/update leases.coordination.k8s.io in namespace reroll'],
    ],
    [['--dry-run', '--namespaces=reroll'], ['get/list/watch secrets in namespace reroll'], ['get/list/watch secrets']],
    [['--rollback'], [`${written} secrets`, `${written} configmaps`], ['get/list/watch secrets']],
    [['--rollback=false'], ['get/list/watch secrets'], [`${written} secrets`]],
    [['--rollback', '--resources-to-ignore=secrets'], [`${written} configmaps`], [`${written} secrets`]],
    [['--rollback', '--dry-run'], ['get/list/watch secrets'], [`${written} secrets`]],
    [['--rollback', '--namespaces=shop'], [`${written} secrets in namespace shop`], [`${written} secrets`]],
    [
      ['--meta-info-namespace=tools'],
      ['get/update configmaps reloader-meta-info in namespace tools', 'create configmaps in namespace tools'],
      [],
    ],
    [
      ['--namespaces=shop'],
      ['get/list/watch configmaps in namespace shop', 'list/watch configmaps reroll-hold in namespace reroll'],
      ['get/list/watch configmaps', 'list/watch namespaces'],
    ],
  ])('by %j', (args, has, hasNot) => {
    const needed = needs('reconciler', args);
    expect(needed).toEqual(expect.arrayContaining([...has]));
    for (const right of hasNot) expect(needed).not.toContain(right);
  });

  it.each<[Component, readonly string[], string, boolean]>([
    ['webhook', [], 'list/watch endpointslices.discovery.k8s.io in namespace reroll', true],
    [
      'webhook',
      ['--reconciler-address=reroll:8444'],
      'list/watch endpointslices.discovery.k8s.io in namespace reroll',
      false,
    ],
    ['webhook', ['--namespaces=shop'], 'get configmaps in namespace shop', true],
    ['webhook', ['--certs-secret=mine'], 'list/watch secrets mine in namespace reroll', true],
    [
      'certs',
      ['--mutating-webhook-configuration=mine'],
      'get/patch mutatingwebhookconfigurations.admissionregistration.k8s.io mine',
      true,
    ],
  ])('%s %j', (component, args, right, isNeeded) => {
    expect(needs(component, args).includes(right)).toBe(isNeeded);
  });

  const ownNamespace = { valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } };
  const history = 'get/update configmaps reroll-history-0 in namespace reroll';

  it.each<[Component, object, string, boolean]>([
    [
      'reconciler',
      { name: 'RELOADER_NAMESPACE', ...ownNamespace },
      'get/update configmaps reloader-meta-info in namespace reroll',
      true,
    ],
    ['reconciler', { name: 'RELOADER_NAMESPACE', value: 'tools' }, 'create configmaps in namespace tools', true],
    [
      'reconciler',
      { name: 'KUBERNETES_NAMESPACE', ...ownNamespace },
      'get/list/watch/patch deployments.apps in namespace reroll',
      true,
    ],
    ['reconciler', { name: 'KUBERNETES_NAMESPACE', ...ownNamespace }, 'get/list/watch secrets', false],
    ['reconciler', { name: 'REROLL_HISTORY', value: 'F' }, history, false],
    ['webhook', { name: 'KUBERNETES_NAMESPACE', value: 'shop' }, 'get configmaps in namespace shop', true],
    ['webhook', { name: 'KUBERNETES_NAMESPACE', ...ownNamespace }, 'get configmaps', false],
  ])('%s with the variable %j', (component, variable, right, isNeeded) => {
    expect(describeRights(neededRights(part(component, [], [variable]), 'reroll')).includes(right)).toBe(isNeeded);
  });

  it.each<[Component, readonly string[], string, boolean]>([
    ['reconciler', [], history, true],
    ['reconciler', ['--history=0'], history, false],
    ['certs', ['--certificates=False'], 'get/update secrets reroll-ca in namespace reroll', false],
    ['webhook', ['--namespaces=shop', '--namespaces="bank"'], 'get configmaps in namespace shop', true],
    ['webhook', ['--namespaces=shop', '--namespaces="bank"'], 'get configmaps in namespace bank', true],
    ['webhook', ['--namespaces='], 'get configmaps', true],
  ])('%s reads %j as it does when it runs', (component, args, right, isNeeded) => {
    expect(needs(component, args).includes(right)).toBe(isNeeded);
  });
});
