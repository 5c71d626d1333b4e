import { describe, expect, it } from '@jest/globals';
import { LeaderSilentError } from '../cluster/silence';
import { rows } from './check-rows.fixture';
import { TestInstall } from './install.fixture';
import type { StoredRule } from './stored.fixture';
import { rightsCheck } from './rights-check';
import { spareRightsCheck } from './spare-rights-check';

const rulesOf = (install: TestInstall, kind: string, name: string): StoredRule[] => install.object(kind, name).rules!;
const argsOf = (install: TestInstall, name: string): string[] => install.containerOf(name).args;
const without = (install: TestInstall, verb: string, resource: string): void => {
  for (const rule of rulesOf(install, 'ClusterRole', 'reroll')) {
    if (rule.resources.includes(resource)) rule.verbs = rule.verbs.filter((each) => each !== verb);
  }
};
const refuse = (install: TestInstall): void => {
  install.health = { ...install.health, missingPermissions: ['missing permission to patch jobs'] };
};
const grantTo = (install: TestInstall, subject: object, rules: StoredRule[]): void => {
  const names = { uid: 'u', resourceVersion: '1', name: 'more' };
  install.objects.push(
    { kind: 'ClusterRole', metadata: names, rules },
    {
      ...{ kind: 'ClusterRoleBinding', metadata: names, subjects: [subject] },
      roleRef: { kind: 'ClusterRole', name: 'more' },
    },
  );
};
const account = { kind: 'ServiceAccount', name: 'reroll', namespace: 'reroll' };
const everyone = { kind: 'Group', name: 'system:authenticated' };
const pods = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
const csi = ['secretproviderclasses', 'secretproviderclasspodstatuses'];
const serve = (install: TestInstall, group: string, ...resources: readonly string[]) =>
  install.served.set(group, resources);

rows(rightsCheck, [
  [
    'the leader was refused something',
    (install) => {
      refuse(install);
      without(install, 'patch', 'jobs');
    },
    'failed',
    /^the leader was refused: missing permission to patch jobs; no role lets reroll patch jobs\.batch$/,
    /^grant it with .*helm upgrade/,
  ],
  [
    'the leader was refused something, and the roles may not be read',
    (install) => {
      refuse(install);
      install.refused.add('get clusterroles');
    },
    'failed',
    /^the leader was refused: missing permission to patch jobs; the roles of/,
    /^grant it with .*helm upgrade/,
  ],
  [
    'the leader was refused something that the roles have by now',
    refuse,
    'warning',
    /^the leader was refused, though no role lacks a right now: missing permission to patch jobs$/,
    /^if it was granted since the leader started, nothing is left to do/,
  ],
  [
    'a role lacks a verb',
    (install) => without(install, 'patch', 'jobs'),
    'warning',
    /^no role lets reroll patch jobs\.batch$/,
  ],
  [
    'a role is not bound',
    (install) => install.remove('ClusterRoleBinding', 'reroll-certs'),
    'warning',
    /^no role lets reroll-certs get\/patch validatingwebhookconfigurations\.admissionregistration\.k8s\.io reroll and get\/patch mutating/,
  ],
  [
    'a role is bound and not there',
    (install) => install.remove('Role', 'reroll-own'),
    'warning',
    /lets reroll get\/create\/update leases\.coordination/,
  ],
  [
    'a role is for Secrets by name',
    (install) => {
      const rules = rulesOf(install, 'Role', 'reroll-own');
      rules.find(({ resources }) => resources.includes('secrets'))!.resourceNames = ['reroll-digest-key'];
    },
    'warning',
    /lets reroll create\/update\/delete secrets in namespace reroll$/,
  ],
  [
    'a group has it',
    (install) => {
      without(install, 'patch', 'jobs');
      grantTo(install, everyone, [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
    },
    'ok',
    /^no right is missing$/,
  ],
  [
    'another kind is served',
    (install) => serve(install, 'apps.openshift.io', 'deploymentconfigs'),
    'warning',
    /lets reroll get\/list\/watch\/patch deploymentconfigs\.apps\.openshift\.io$/,
  ],
  [
    '--dry-run, without the right to write',
    (install) => {
      argsOf(install, 'reroll').push('--dry-run');
      for (const kind of ['ClusterRole', 'Role']) {
        for (const { rules = [] } of install.objects.filter((each) => each.kind === kind)) {
          for (const rule of rules)
            if (!rule.resourceNames) rule.verbs = rule.verbs.filter((verb) => ['get', 'list', 'watch'].includes(verb));
        }
      }
    },
    'ok',
    /^no right/,
  ],
  [
    'a flag asks for more',
    (install) => argsOf(install, 'reroll').push('--meta-info-namespace=tools'),
    'warning',
    /lets reroll update configmaps reloader-meta-info in namespace tools and create configmaps in namespace tools$/,
  ],
  [
    'the webhook registers itself',
    (install) => argsOf(install, 'reroll-webhook').push('--register=both'),
    'warning',
    /lets reroll-webhook create\/patch validating/,
  ],
  [
    'roles may not be read',
    (install) => install.refused.add('get clusterroles'),
    'unknown',
    /^the roles of the service accounts are not known: you may not get clusterroles[^;]*$/,
  ],
  [
    'the leader is silent',
    (install) => (install.silence = new LeaderSilentError('no-right', 'no')),
    'unknown',
    /^what the leader was refused is not known/,
  ],
]);

rows(spareRightsCheck, [
  [
    'a role of somebody else',
    (install) => grantTo(install, account, [pods]),
    'warning',
    /^reroll may, and with its flags need not, get\/list pods$/,
    /^take it out of ClusterRole more/,
  ],
  [
    'everything',
    (install) => grantTo(install, account, [{ ...pods, resources: ['*'], verbs: ['*'] }]),
    'warning',
    /need not, \* \*$/,
  ],
  ['a role for everybody', (install) => grantTo(install, everyone, [pods]), 'ok', /^no role grants more/],
  [
    'a kind is ignored',
    (install) => argsOf(install, 'reroll').push('--ignored-workload-types=jobs'),
    'warning',
    /need not, get\/list\/watch\/patch\/delete jobs\.batch$/,
  ],
  [
    'Secrets are ignored',
    (install) => argsOf(install, 'reroll').push('--resources-to-ignore=secrets'),
    'warning',
    /need not, get\/list\/watch secrets$/,
  ],
  [
    'some namespaces are watched, and all are granted',
    (install) => argsOf(install, 'reroll').push('--namespaces=shop,reroll'),
    'warning',
    /^reroll may, and with its flags need not, get\/list\/watch configmaps, /,
  ],
  [
    'a resource that the cluster does not serve',
    (install) => grantTo(install, account, [{ ...pods, apiGroups: ['secrets-store.csi.x-k8s.io'], resources: csi }]),
    'ok',
    /./,
  ],
  [
    'a resource that the cluster serves, and no flag asks for',
    (install) => {
      serve(install, 'secrets-store.csi.x-k8s.io', ...csi);
      grantTo(install, account, [{ apiGroups: ['secrets-store.csi.x-k8s.io'], resources: csi, verbs: ['list'] }]);
    },
    'warning',
    /need not, list secretproviderclasses\.secrets-store\.csi\.x-k8s\.io and list/,
  ],
  [
    'other certificates',
    (install) => argsOf(install, 'reroll-webhook').push('--tls-dir=/tls', '--channel-tls-dir', '/client'),
    'warning',
    /^reroll-webhook may, and with its flags need not, list\/watch secrets reroll-certs in namespace reroll$/,
  ],
  [
    'only the token is kept',
    (install) => argsOf(install, 'reroll-certs').push('--certificates=false'),
    'warning',
    /get\/update secrets reroll-ca in namespace reroll and get\/update secrets reroll-certs/,
  ],
  [
    'bindings may not be read',
    (install) => install.refused.add('list clusterrolebindings'),
    'unknown',
    /you may not list clusterrolebindings\.rbac/,
  ],
  [
    'Deployments may not be read',
    (install) => install.refused.add('list deployments'),
    'unknown',
    /you may not list deployments/,
  ],
]);

describe('rights', () => {
  it('are read once for both checks', async () => {
    const install = new TestInstall();
    const facts = install.facts();
    await Promise.all([rightsCheck.look(facts), spareRightsCheck.look(facts)]);
    const lists = install.requests.filter(({ path }) => path.endsWith('/clusterrolebindings'));
    expect(lists).toHaveLength(3);
  });

  it('of the chart for some namespaces are neither too few nor too many', async () => {
    const install = new TestInstall();
    // The webhook has no such flag there: it is registered for these namespaces only.
    argsOf(install, 'reroll').push('--namespaces=shop,reroll');
    for (const name of ['reroll', 'reroll-webhook-schemas']) {
      // Annotations of namespaces do not count there.
      const rules = rulesOf(install, 'ClusterRole', name).filter(({ resources }) => !resources.includes('namespaces'));
      const { subjects = [] } = install.object('ClusterRoleBinding', name);
      install.remove('ClusterRoleBinding', name);
      for (const namespace of ['shop', 'reroll']) {
        const metadata = { name: `${name}-watch`, namespace, uid: 'u', resourceVersion: '1' };
        install.objects.push(
          { kind: 'Role', metadata, rules },
          { kind: 'RoleBinding', metadata, subjects, roleRef: { kind: 'Role', name: metadata.name } },
        );
      }
    }
    expect(await rightsCheck.look(install.facts())).toMatchObject({ state: 'ok' });
    expect(await spareRightsCheck.look(install.facts())).toMatchObject({ state: 'ok' });
  });
});
