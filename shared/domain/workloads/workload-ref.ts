import type { AnnotationProblem } from '../annotations/annotation-problem';
import type { AnnotationKeys } from '../annotations/annotations';
import { optedIn, type KindPolicy, type PolicySettings, type WorkloadPolicy } from '../policy/policy';
import { withRestartsDisabled } from './restarts-disabled';
import type { WorkloadRecord } from './workload';

/**
 * Argo Rollouts that take their pod template from a Deployment (`spec.workloadRef`). Rollout and Deployment are one
 * workload in two objects. The object that is restarted depends on where a restart takes effect:
 *
 * | the Rollout asks for | the Deployment asks for itself | restarted is                                             |
 * |----------------------|--------------------------------|----------------------------------------------------------|
 * | nothing              | anything                       | the Deployment, as if there were no Rollout              |
 * | `rollout`            | anything                       | the Deployment: Argo takes its new template and rolls    |
 * | `restart`            | nothing                        | the Rollout, by `restartAt`; never the Deployment        |
 * | `restart`            | something                      | the Deployment: its new template rolls the Rollout too   |
 *
 * The baseline is on the object that is restarted, so template and baseline still change in one PATCH. A Rollout's own
 * template is never written: Argo refuses one beside a workloadRef.
 */
export interface ReferringRollout {
  readonly record: WorkloadRecord;
  /** When it was last seen to change what it asks for; undefined: not since it was first seen. */
  readonly askedAtMs: number | undefined;
}

/** The name of the Deployment whose template a workload takes; undefined: it has its own, or that of another kind. */
export function referencedDeployment({ rollout }: Pick<WorkloadRecord, 'rollout'>): string | undefined {
  const ref = rollout?.workloadRef;
  return ref?.kind === 'Deployment' ? ref.name : undefined;
}

/** The Rollouts that ask for restarts, sorted by name: the first one decides. */
export function askingRollouts(
  rollouts: Iterable<ReferringRollout>,
  policy: PolicySettings,
): readonly ReferringRollout[] {
  return [...rollouts]
    .filter(({ record }) => optedIn(record.policy, policy))
    .sort((left, right) => (left.record.name < right.record.name ? -1 : 1));
}

/** Whether the Deployment is what is restarted, and not one of the `asking` Rollouts that take its template. */
export function isRestartedItself(deployment: WorkloadRecord, asking: readonly ReferringRollout[]): boolean {
  const asksItself = optedIn(deployment.policy, { autoReloadAll: false, ignoredWorkloadKinds: [] });
  return asking.length === 0 || asksItself || asking.some(({ record }) => record.rollout?.strategy === 'rollout');
}

/** The one whose annotations count, where they and the Deployment say something else; undefined: none asks. */
export function speakerOf(asking: readonly ReferringRollout[]): ReferringRollout | undefined {
  return asking.find(({ record }) => record.rollout?.strategy === 'rollout') ?? asking[0];
}

/** A Deployment with what the Rollouts say that take its template. */
export function joinedDeployment(record: WorkloadRecord, asking: readonly ReferringRollout[]): WorkloadRecord {
  const speaker = speakerOf(asking);
  if (!speaker) return record;
  if (!isRestartedItself(record, asking)) return withRestartsDisabled(record);
  const { askedAtMs, record: rollout } = speaker;
  // The pods are no older than the younger of the two objects.
  const createdAtMs = Math.max(record.createdAtMs, rollout.createdAtMs);
  return {
    ...record,
    policy: mergedPolicy(rollout.policy, record.policy),
    settings: { ...record.settings, ...rollout.settings },
    ...(rollout.gates && { gates: { ...record.gates, ...rollout.gates } }),
    createdAtMs,
    writtenAtMs: Math.max(record.writtenAtMs ?? 0, createdAtMs, askedAtMs ?? 0),
    ...(askedAtMs !== undefined && { askedAtMs }),
    // Argo also takes the template of a paused Deployment.
    ...(record.pause && { pause: { ...record.pause, periodMs: undefined } }),
  };
}

/**
 * A Rollout with the template of its Deployment. `deployment` undefined: there is none, or it is not known;
 * `asking`: the Rollouts that take the template of the same Deployment, and ask for restarts.
 */
export function joinedRollout(
  record: WorkloadRecord,
  deployment: WorkloadRecord | undefined,
  asking: readonly ReferringRollout[],
): WorkloadRecord {
  if (!deployment || isRestartedItself(deployment, asking)) return withRestartsDisabled(record);
  const { references, firstContainer, createdAtMs, writtenAtMs = createdAtMs } = deployment;
  return {
    ...record,
    policy: mergedPolicy(record.policy, deployment.policy),
    ...(deployment.gates && { gates: { ...deployment.gates, ...record.gates } }),
    ...{ references, firstContainer },
    createdAtMs: Math.max(record.createdAtMs, createdAtMs),
    writtenAtMs: Math.max(record.writtenAtMs ?? record.createdAtMs, writtenAtMs),
  };
}

/** A Rollout that takes its template from something else than a Deployment. It can still be restarted by `restartAt`. */
export function withOtherTemplate(
  record: WorkloadRecord,
  policy: PolicySettings,
  { rolloutStrategy: key }: Pick<AnnotationKeys, 'rolloutStrategy'>,
): WorkloadRecord {
  if (record.rollout?.strategy === 'restart' || !optedIn(record.policy, policy)) return record;
  const { kind = '', name = '' } = record.rollout?.workloadRef ?? {};
  const message = `cannot be followed: the template comes from ${kind} ${name}, and only that of a Deployment can`;
  const fix = 'refer to a Deployment, or write restart and list the sources by name';
  const problem: AnnotationProblem = { code: 'overridden', key, value: 'rollout', message, fix };
  return { ...withRestartsDisabled(record), problems: [...record.problems, problem] };
}

/** For each kind of source, the Rollout's annotations count if they say anything, otherwise the Deployment's. */
function mergedPolicy(rollout: WorkloadPolicy, deployment: WorkloadPolicy): WorkloadPolicy {
  const merged = (kind: keyof WorkloadPolicy): KindPolicy => {
    const { leftOut, named, excluded, search, auto } = rollout[kind];
    const speaks = leftOut || !named.isEmpty || excluded.size > 0 || search || auto !== 'unset';
    return speaks ? rollout[kind] : deployment[kind];
  };
  return {
    ConfigMap: merged('ConfigMap'),
    Secret: merged('Secret'),
    SecretProviderClass: merged('SecretProviderClass'),
  };
}
