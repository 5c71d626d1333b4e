import { expect, it, jest } from '@jest/globals';
import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import { everything } from '../kubernetes/selector';
import { policySettings, workloadRecord } from '../plan/records.fixture';
import type { NamedList } from '../text/pattern';
import type { WorkloadRecord } from '../workloads/workload';
import { written } from './lint.fixture';
import { readLintSubject, type LintSettings } from './lint-subject';
import { lintWorkload } from './lint-workload';

const settings: LintSettings = {
  ...{ keys, policy: policySettings, csi: false, askedChecks: { urls: true, queries: true } },
  selection: {
    ...{ namespaces: [], namespacesToIgnore: [], namespaceSelector: everything },
    ...{ sourceSelector: everything, ignoredSourceKinds: [] },
  },
};
const names = Array.from({ length: 50 }, (_, index) => `app-${index}`);

it('a long way of workloads that come after each other is compared in few of its sources, and followed by name to its end', () => {
  const compared: jest.SpiedFunction<NamedList['matches']>[] = [];
  const annotations = (next: number) => ({
    [keys.configMapReload]: 'app-.*',
    'reroll.dev/after': `deployment/w${next}`,
  });
  const others = new Map<string, WorkloadRecord>(
    Array.from({ length: 150 }, (_, index) => {
      const after = index === 149 ? { 'reroll.dev/after': 'deployment/web' } : {};
      const uses = names.map((name) => `cm/${name}`);
      const record = workloadRecord({ annotations: { ...annotations(index + 1), ...after }, uses });
      compared.push(jest.spyOn(record.policy.ConfigMap.named, 'matches'));
      return [`w${index}`, record] as const;
    }),
  );
  const envFrom = names.map((name) => ({ configMapRef: { name } }));
  const subject = readLintSubject(written({ metadata: annotations(0), envFrom }), settings);
  const known = { kinds: new Set<never>(), named: new Map<never, never>() };
  const findings = lintWorkload(subject, { ...known, workload: ({ name }) => others.get(name) });
  expect(findings.map(({ code }) => code)).toEqual(['bad-order']);
  expect(compared.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(2_000);
});
