import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AnnotationProblem } from '../annotations/annotation-problem';
import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import { decide } from '../policy/policy';
import { parsePolicy } from '../policy/policy-annotations';
import { sourceKinds } from '../sources/source';
import { narrowedOut } from './coverage';
import { readLintSubject, type WorkloadSubject } from './lint-subject';
import { lintSettings, written } from './lint.fixture';
import { autoSwitches, excluded, templateOverridden } from './overrides';

type Texts = Record<string, string>;

const switches = fc.constantFrom('true', 'false', '');
const lists = fc.constantFrom('', 'app', 'app,db', 'other');
const some = (values: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<Texts> =>
  fc
    .array(fc.constantFrom(...Object.keys(values)), { maxLength: 5 })
    .chain((present) => fc.record(Object.fromEntries(Object.entries(values).filter(([key]) => present.includes(key)))));

const annotations = some({
  ...{ [keys.auto]: switches, [keys.configMapAuto]: switches, [keys.secretAuto]: switches, [keys.search]: switches },
  ...{ [keys.configMapReload]: lists, [keys.secretReload]: lists, [keys.configMapExclude]: lists },
  [keys.kind]: fc.constantFrom('configmap', 'secret'),
});

/** Whether, and on what condition, each possible source restarts the workload. */
function decisions(metadata: Texts, template: Texts, autoReloadAll: boolean): unknown {
  const { policy } = parsePolicy(metadata, template, keys);
  const sources = ['app', 'db', 'other', 'more'].flatMap((name) =>
    [true, false].flatMap((match) => sourceKinds.map((kind) => ({ kind, name, match, ignore: false }))),
  );
  return sources.map((source) => {
    const settings = { autoReloadAll, ignoredWorkloadKinds: [] };
    const { restart, onlyIfReferenced } = decide(policy, 'Deployment', source, settings);
    return [source, restart, onlyIfReferenced];
  });
}

function subjectOf(metadata: Texts, template: Texts, autoReloadAll: boolean): WorkloadSubject {
  const subject = readLintSubject(
    written({ metadata, template }),
    lintSettings({ csi: true, policy: { autoReloadAll } }),
  );
  if (!('spec' in subject)) throw new Error('a Deployment is restarted');
  return subject;
}

function without(texts: Texts, { key }: AnnotationProblem): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([each]) => each !== key));
}

const claimsNoEffect = ({ message }: AnnotationProblem): boolean =>
  /^has no effect(?! on the pod template for)|^adds nothing/.test(message);

describe('an annotation reported as ineffective changes no decision', () => {
  it('on a pod template that the metadata overrides', () => {
    let claims = 0;
    fc.assert(
      fc.property(annotations, annotations, (metadata, template) => {
        const problems = [...templateOverridden(subjectOf(metadata, template, false))].filter(claimsNoEffect);
        claims += problems.length;
        for (const problem of problems) {
          expect(decisions(metadata, without(template, problem), false)).toEqual(decisions(metadata, template, false));
        }
      }),
      { numRuns: 1_000 },
    );
    expect(claims).toBeGreaterThan(20);
  });

  it('among switches, searches and excluded kinds', () => {
    let claims = 0;
    fc.assert(
      fc.property(annotations, fc.boolean(), (metadata, autoReloadAll) => {
        const subject = subjectOf(metadata, {}, autoReloadAll);
        const problems = [...autoSwitches(subject), ...narrowedOut(subject)].filter(claimsNoEffect);
        claims += problems.length;
        for (const problem of problems) {
          const left = decisions(without(metadata, problem), {}, autoReloadAll);
          expect(left).toEqual(decisions(metadata, {}, autoReloadAll));
        }
      }),
      { numRuns: 1_000 },
    );
    expect(claims).toBeGreaterThan(20);
  });

  it('among names that are listed and excluded', () => {
    fc.assert(
      fc.property(annotations, (metadata) => {
        const problems = [...excluded(subjectOf(metadata, {}, false))].filter(claimsNoEffect);
        if (problems.length === 0) return;
        const names = (metadata[keys.configMapReload] ?? '').split(',');
        const left = names.filter((name) => !problems.some(({ value }) => value === name)).join(',');
        const shorter = { ...metadata, [keys.configMapReload]: left };
        expect(decisions(shorter, {}, false)).toEqual(decisions(metadata, {}, false));
      }),
      { numRuns: 1_000 },
    );
  });
});
