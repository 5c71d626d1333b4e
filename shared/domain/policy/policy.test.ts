import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import type { Decision, DecisionReason, PolicySettings } from './policy';
import { decide, describeReason, mayUse, optedIn } from './policy';
import { parsePolicy } from './policy-annotations';

const settings: PolicySettings = { autoReloadAll: false, ignoredWorkloadKinds: [] };
const all: PolicySettings = { ...settings, autoReloadAll: true };
const source = { kind: 'ConfigMap', name: 'app', ignore: false, match: false } as const;
const policyOf = (metadata: Record<string, string>) => parsePolicy(metadata, {}, keys).policy;

describe('decide', () => {
  it.each<[DecisionReason, Decision]>([
    [
      'workload-kind-ignored',
      decide(policyOf({ [keys.auto]: 'true' }), 'Job', source, { ...settings, ignoredWorkloadKinds: ['Job'] }),
    ],
    ['source-ignored', decide(policyOf({ [keys.auto]: 'true' }), 'Job', { ...source, ignore: true }, settings)],
    [
      'kind-left-out',
      decide(
        policyOf({ [keys.auto]: 'true', [keys.configMapReload]: 'app', [keys.kind]: 'secret' }),
        'Job',
        source,
        all,
      ),
    ],
    ['excluded', decide(policyOf({ [keys.auto]: 'true', [keys.configMapExclude]: 'app' }), 'Job', source, settings)],
    ['named', decide(policyOf({ [keys.auto]: 'true', [keys.configMapReload]: 'app' }), 'Job', source, settings)],
    [
      'search-match',
      decide(policyOf({ [keys.auto]: 'true', [keys.search]: 'true' }), 'Job', { ...source, match: true }, settings),
    ],
    ['auto', decide(policyOf({ [keys.auto]: 'true', [keys.configMapAuto]: 'true' }), 'Job', source, settings)],
    ['auto-typed', decide(policyOf({ [keys.auto]: 'false', [keys.configMapAuto]: 'true' }), 'Job', source, all)],
    ['auto-reload-all', decide(policyOf({}), 'Job', source, all)],
    ['opted-out', decide(policyOf({ [keys.auto]: 'false' }), 'Job', source, all)],
    ['not-opted-in', decide(policyOf({}), 'Job', source, settings)],
  ])('returns the reason %s', (reason, decision) => {
    expect(decision.because).toBe(reason);
    expect(describeReason(reason)).toMatch(/^[a-z].*[a-z)]$/);
  });

  it('an ignored source beats everything that a workload asks for', () => {
    const policy = policyOf({ [keys.auto]: 'true', [keys.configMapReload]: 'app' });
    expect(decide(policy, 'Deployment', { ...source, ignore: true, match: true }, all).restart).toBe(false);
  });
});

describe('optedIn and mayUse', () => {
  it.each<[Record<string, string>, PolicySettings, readonly string[]]>([
    [{}, settings, []],
    [{}, all, ['ConfigMap', 'Secret', 'SecretProviderClass']],
    [{ [keys.auto]: 'true' }, settings, ['ConfigMap', 'Secret', 'SecretProviderClass']],
    [{ [keys.auto]: 'false' }, all, []],
    [{ [keys.search]: 'true' }, settings, ['ConfigMap', 'Secret', 'SecretProviderClass']],
    [{ [keys.secretAuto]: 'true' }, settings, ['Secret']],
    [{ [keys.secretReload]: 'db' }, settings, ['Secret']],
    [{ [keys.secretReload]: 'db[' }, settings, []],
    [{ [keys.secretReload]: '' }, settings, []],
    [{ [keys.configMapReload]: 'db-.*', [keys.auto]: 'false' }, all, ['ConfigMap']],
    [{ [keys.configMapExclude]: 'app' }, settings, []],
    [{ [keys.auto]: 'true', [keys.match]: 'configmap' }, settings, ['ConfigMap']],
    [{ [keys.auto]: 'true', [keys.match]: 'configmap|secret' }, settings, ['ConfigMap', 'Secret']],
    [{ [keys.configMapReload]: 'app', [keys.secretReload]: 'db', [keys.kind]: 'secret' }, settings, ['Secret']],
    [{ [keys.kind]: 'secret' }, all, ['Secret']],
    [{ [keys.kind]: 'secret' }, settings, []],
    [{ [keys.auto]: 'true', [keys.match]: 'true' }, settings, ['ConfigMap', 'Secret', 'SecretProviderClass']],
  ])('%j', (metadata, given, kinds) => {
    const policy = policyOf(metadata);
    const usable = (['ConfigMap', 'Secret', 'SecretProviderClass'] as const).filter((kind) =>
      mayUse(policy, kind, given),
    );
    expect(usable).toEqual(kinds);
    expect(optedIn(policy, given)).toBe(kinds.length > 0);
  });
});

describe('parsePolicy', () => {
  it('shares the policies that most workloads have', () => {
    expect(policyOf({})).toBe(policyOf({ 'helm.sh/chart': 'web' }));
    expect(policyOf({ [keys.auto]: 'true' })).toBe(policyOf({ [keys.auto]: '1' }));
    expect(policyOf({ [keys.auto]: 'true' })).not.toBe(policyOf({}));
  });

  it('names key, element and fix of a bad pattern', () => {
    const { problems } = parsePolicy({ [keys.secretReload]: 'db, app[' }, {}, keys);
    expect(problems).toEqual([
      {
        code: 'bad-pattern',
        key: keys.secretReload,
        value: 'app[',
        message: expect.stringContaining('missing closing ]'),
        fix: expect.stringContaining('RE2'),
      },
    ]);
  });

  it('falls back for each kind of source separately', () => {
    const { policy } = parsePolicy(
      { [keys.secretAuto]: 'true' },
      { [keys.configMapReload]: 'app', [keys.secretReload]: 'db' },
      keys,
    );
    expect([...policy.ConfigMap.named.literals]).toEqual(['app']);
    expect(policy.Secret.named.isEmpty).toBe(true);
  });
});
