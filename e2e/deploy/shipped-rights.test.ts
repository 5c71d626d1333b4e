import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { keptSecretNames } from '../../certs/kept-secret';
import { projectDir } from '../control-plane/versions';
import type { Manifest } from './rendered-chart';
import { excessRights } from './shipped-rights';

function manifestsOf(...files: readonly string[]): readonly Manifest[] {
  return files
    .flatMap((file) => parseAllDocuments(readFileSync(path.join(projectDir, 'deploy', file), 'utf8')))
    .map((document) => document.toJS() as Manifest);
}

const installs: Readonly<Record<string, readonly Manifest[]>> = {
  'rbac.yaml and webhook.yaml': manifestsOf('rbac.yaml', 'webhook.yaml', 'cert-manager.yaml'),
  'manifests/install.yaml': manifestsOf('manifests/install.yaml'),
};

describe.each(Object.entries(installs))('%s', (_what, manifests) => {
  it('lets nobody but the reconciler create anything, and nobody else have a Secret without naming it', () => {
    expect(excessRights(manifests)).toEqual([]);
  });

  it('ships the Secrets that others fill, once each and without data', () => {
    const secrets = manifests.filter(({ kind }) => kind === 'Secret');
    expect(secrets.map(({ metadata }) => metadata.name).toSorted()).toEqual([...keptSecretNames].toSorted());
    for (const secret of secrets) {
      expect(secret.metadata.namespace).toBe('reroll');
      expect(Object.keys(secret).toSorted()).toEqual(['apiVersion', 'kind', 'metadata', 'type']);
    }
  });

  it('has nobody but `reroll certs` write a Secret with the key of the CA, or read it by its name', () => {
    const named = manifests.flatMap((manifest) => {
      const rules = (manifest['rules'] ?? []) as readonly { readonly resourceNames?: readonly string[] }[];
      return rules.some(({ resourceNames = [] }) => resourceNames.includes('reroll-ca')) ? manifest.metadata.name : [];
    });
    expect(named).toEqual(['reroll-certs']);
  });
});

describe('excessRights', () => {
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
  const grant = (rule: object, account = 'x'): readonly Manifest[] => [
    { ...rbac, kind: 'Role', metadata: { name: 'r', namespace: 'n' }, rules: [rule] },
    {
      ...{ ...rbac, kind: 'RoleBinding', metadata: { name: 'b', namespace: 'n' } },
      ...{ roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'ServiceAccount', name: account }] },
    },
  ];

  it.each<[object, string, readonly string[]]>([
    [{ resources: ['secrets'], verbs: ['create'] }, 'x', ['x: create secrets']],
    [{ resources: ['secrets'], verbs: ['create'], resourceNames: ['a'] }, 'x', ['x: create secrets a']],
    [{ resources: ['configmaps'], verbs: ['get', 'create'] }, 'x', ['x: create configmaps']],
    [{ resources: ['secrets', 'leases'], verbs: ['get', 'watch'] }, 'x', ['x: get secrets', 'x: watch secrets']],
    [{ resources: ['*'], verbs: ['get'] }, 'x', ['x: get *']],
    [{ resources: ['leases'], verbs: ['*'] }, 'x', ['x: * leases']],
    [{ resources: ['secrets'], verbs: ['get'], resourceNames: ['a'] }, 'x', []],
    [{ resources: ['secrets'], verbs: ['create', 'list'] }, 'reroll', []],
  ])('tells of %j for %s', (rule, account, expected) => {
    expect(excessRights(grant(rule, account))).toEqual(expected);
  });

  it('does not pass over a role that it does not find', () => {
    expect(() => excessRights(grant({}).slice(1))).toThrow('a role that is not there');
  });
});
