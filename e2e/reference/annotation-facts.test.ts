import { describe, expect, it } from '@jest/globals';
import {
  defaultAnnotationKeys,
  gateAnnotations,
  ownAnnotations,
  sourceAnnotations,
  sourceFlags,
} from '../../shared/domain/annotations/annotations';
import { reviewAnnotations } from '../../shared/domain/annotations/annotation-review';
import { parsePolicy } from '../../shared/domain/policy/policy-annotations';
import { readGateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { gateFacts, ownFacts, reloaderFacts, sourceFacts } from './annotation-facts';

const keys = defaultAnnotationKeys;
const names = Object.keys(keys) as (keyof typeof keys)[];
/**
 * These are not part of the policy. They only count on a workload's metadata, which the tests of `reviewAnnotations`
 * below cover.
 */
const ofMetadata: readonly string[] = ['rolloutStrategy', 'pausePeriod', 'pausedAt'];

/** A policy as text, with each set as a list of its elements. */
function textOf(policy: object): string {
  return JSON.stringify(policy, (_key, value: unknown) =>
    value instanceof Set ? [...(value as Set<unknown>)] : value,
  );
}

describe("where Reloader's annotations count", () => {
  it.each(names)('%s: as the code reads it', (name) => {
    const { where } = reloaderFacts[name];
    const written = { [keys[name]]: name === 'match' || name === 'kind' ? 'configmap' : 'true' };
    const none = textOf(parsePolicy({}, {}, keys).policy);
    const differs = (metadata: object, template: object): boolean => {
      const { policy } = parsePolicy({ ...metadata }, { ...template }, keys);
      const list = Object.values(policy).some(({ named }) => named.matches('true'));
      return list || textOf(policy) !== none;
    };
    const flags = sourceFlags({ [keys[name]]: 'true' }, keys);
    expect({
      workload: ofMetadata.includes(name) || differs(written, {}),
      'pod template': differs({}, written),
      source: flags.ignore || flags.match,
    }).toEqual({
      workload: where.includes('workload'),
      'pod template': where.includes('pod template'),
      source: where.includes('source'),
    });
  });
});

describe('annotations of which the code says that they count on the metadata alone', () => {
  const facts = [
    ...names.map((name) => [keys[name], reloaderFacts[name].where] as const),
    ...(Object.keys(ownAnnotations) as (keyof typeof ownAnnotations)[]).map(
      (name) => [ownAnnotations[name], ownFacts[name].where] as const,
    ),
    ...(Object.keys(gateAnnotations) as (keyof typeof gateAnnotations)[]).map(
      (name) => [gateAnnotations[name], gateFacts[name].where] as const,
    ),
  ];

  it.each(facts)('%s', (key, where) => {
    const [problem] = reviewAnnotations({}, { [key]: 'true' }, keys, 1);
    const said = problem?.code === 'wrong-place' && problem.message.includes('on a pod template');
    if (said) expect(where).not.toContain('pod template');
    if (!where.includes('pod template') && where.includes('workload') && key !== keys.pausedAt) expect(said).toBe(true);
  });

  it.each(Object.keys(gateAnnotations) as (keyof typeof gateAnnotations)[])(
    '%s counts where the code reads it',
    (name) => {
      const bearers = ['workload', 'source', 'namespace'] as const;
      const timed = { hold: 'true', restart: 'now', windows: 'always', minInterval: '0', urgent: 'true' };
      const value = {
        ...timed,
        maxRolling: '5',
        wave: '10',
        after: 'deployment/db',
        canary: 'true',
        healthyUrl: 'http://web:8080/healthz',
        healthyQuery: 'up == 1',
        stages: 'on',
        resumed: '0123abcd',
        onFailure: 'rollback',
        rolledBack: '0123abcd',
        keys: 'app.yaml',
        compare: 'parsed',
      }[name];
      const counts = bearers.filter(
        (bearer) => readGateSettings({ [gateAnnotations[name]]: value }, bearer).settings !== undefined,
      );
      expect(gateFacts[name].where).toEqual(counts);
    },
  );

  it('those of sources count on sources alone', () => {
    expect(Object.keys(sourceFacts)).toEqual(Object.keys(sourceAnnotations));
    expect(new Set(Object.values(sourceFacts).flatMap(({ where }) => where))).toEqual(new Set(['source']));
  });
});
