import { jsonOf, promise, requireFitToShow, type Target } from '../target';
import { describeProblem } from '../../../shared/domain/annotations/annotation-problem';
import { reviewAnnotations } from '../../../shared/domain/annotations/annotation-review';
import { annotationsOf, defaultAnnotationKeys, sourceFlags } from '../../../shared/domain/annotations/annotations';
import { bearerProblems } from '../../../shared/domain/gate-settings/bearer-gates';
import { readGateSettings } from '../../../shared/domain/gate-settings/gate-settings';
import { checkSettings } from '../../../shared/domain/content-check/check-settings';
import { readNarrowing } from '../../../shared/domain/policy/narrowing';
import { readPause } from '../../../shared/domain/workloads/pause';
import { decide } from '../../../shared/domain/policy/policy';
import { parsePolicy } from '../../../shared/domain/policy/policy-annotations';
import { readRollout } from '../../../shared/domain/workloads/rollout';
import { workloadKind } from '../../../shared/domain/kubernetes/workload-kinds';
import { readSettings } from '../../../shared/domain/workloads/workload-settings';
import { json, sampleAnnotations } from '../samples';

const keys = defaultAnnotationKeys;
const nowMs = Date.parse('2026-03-29T00:30:00Z');
const source = { kind: 'ConfigMap', name: 'app', ignore: false, match: true } as const;

/** The annotations of an object, given to each reader separately. */
export const target: Target = {
  seeds: [
    json(sampleAnnotations),
    json({ 'reroll.dev/validate': 'deny', 'reroll.dev/schema': 'a.json=schemas/s', 'reroll.dev/required-keys': 'a,b' }),
    json({ 'reroll.dev/max-bytes': '64Ki', 'reroll.dev/validate': 'off' }),
    json({
      'reroll.dev/hold': 'until=2026-12-01T06:00:00Z, because=a',
      'reroll.dev/windows': 'Mon-Fri 22:00-05:00; Sat',
    }),
    json({ 'reroll.dev/windows': '0 22 * * 1-5 +7h Europe/Berlin', 'reroll.dev/urgent': 'true' }),
    json({
      'reroll.dev/wave': '-10',
      'reroll.dev/after': 'deployment/db, statefulset/cache',
      'reroll.dev/max-rolling': '5',
    }),
    json({
      'reroll.dev/healthy-url': 'https://web.shop.svc.cluster.local:8443/healthz?deep=1',
      'reroll.dev/healthy-query': 'up == 1',
    }),
    json({ 'reroll.dev/on-failure': 'rollback', 'reroll.dev/rolled-back': '0123abcd,89abcdef' }),
    json({ 'reroll.dev/keys': 'app.yaml, !comment.*', 'reroll.dev/compare': 'parsed' }),
    json({ 'reroll.dev/min-interval': '1h', 'reroll.dev/restart': 'next-rollout', 'reroll.dev/windws': 'always' }),
  ],
  maxBytes: 256 * 1024,
  run: (input) => {
    const object = { metadata: { annotations: jsonOf(input) }, spec: { paused: true } };
    const metadata = annotationsOf(object);
    sourceFlags(metadata, keys);
    const gates = readGateSettings(metadata, 'workload');
    const windows = gates.settings?.windows;
    if (typeof windows === 'object') promise(windows.opensMs(nowMs) >= nowMs, 'a window does not open in the past');
    const url = gates.settings?.healthyUrl;
    if (typeof url === 'object') {
      promise(/^[a-z][-a-z0-9]*$/.test(url.service), 'a health check is of a Service');
      promise(new URL(`http://web:8080${url.path}`).host === 'web:8080', 'its path leads to no other host');
    }
    const { policy, problems } = parsePolicy(metadata, metadata, keys);
    decide(policy, 'Deployment', source, { autoReloadAll: false, ignoredWorkloadKinds: [] });
    const found = [
      ...[...problems, ...readSettings(metadata).problems, ...reviewAnnotations(metadata, metadata, keys, 20)],
      ...readPause(workloadKind('Deployment'), object, metadata, keys).problems,
      ...readRollout(object, metadata, keys).problems,
      ...readNarrowing(metadata, metadata, keys).problems,
      ...(checkSettings(metadata, 'warn')?.problems ?? []),
      ...gates.problems,
      ...(['source', 'namespace'] as const).flatMap((bearer) => [...bearerProblems(metadata, bearer, keys)]),
    ];
    for (const problem of found) requireFitToShow(describeProblem('Deployment shop/web', problem, 256));
  },
};
