import { annotation } from '../../shared/domain/annotations/annotations';
import { requestingAnnotations } from '../../shared/domain/lint/lint-subject';
import { sourceKinds } from '../../shared/domain/sources/source';
import { parseDuration } from '../../shared/domain/text/duration';
import { pathOf, remove, write, type Advice, type Edit } from './advice';
import { askingKey, type MigrationSubject } from './migration-subject';

/** Differences of Deployments that are paused, of Rollouts and of DeploymentConfigs. */

/** A pause period that is no time above zero. */
export function* pause(subject: MigrationSubject): Generator<Advice> {
  const { pausePeriod } = subject.settings.keys;
  const value = annotation(subject.metadata, pausePeriod);
  if (!subject.isRestarted || subject.kind.kind !== 'Deployment' || value === undefined) return;
  if (subject.spec.pause?.periodMs !== undefined) return;
  yield {
    at: pathOf(subject, pausePeriod),
    today: isDuration(value)
      ? 'Reloader pauses the Deployment and resumes it at once.'
      : 'Reloader never restarts this Deployment, nor the workloads that it would handle after it.',
    here: 'Reroll restarts it without a pause.',
    fix: 'Write a duration such as 30s, 5m or 1h30m, or remove the annotation.',
    edits: remove(subject, [pausePeriod], ['metadata']),
  };
}

function isDuration(value: string): boolean {
  try {
    parseDuration(value);
    return true;
  } catch {
    return false;
  }
}

/** A pause period on a Deployment whose template a Rollout uses. */
export function* pauseOfReferenced(subject: MigrationSubject): Generator<Advice> {
  const { pausePeriod } = subject.settings.keys;
  if (!subject.isRestarted || subject.referringRollout === undefined || subject.spec.pause?.periodMs === undefined)
    return;
  yield {
    at: pathOf(subject, pausePeriod),
    today: 'Reloader pauses the Deployment at a change.',
    here: `Reroll does not pause it: Rollout ${subject.referringRollout} uses its template, and Argo uses that of a paused Deployment too.`,
    fix: 'Remove the annotation.',
    edits: remove(subject, [pausePeriod], ['metadata']),
  };
}

/** A Rollout, for which Reloader needs a flag that nobody has given. */
export function* rollout(subject: MigrationSubject): Generator<Advice> {
  const { kind, isRestarted, spec, settings } = subject;
  if (kind.kind !== 'Rollout' || !isRestarted || spec.rollout?.workloadRef || settings.reloaderRestartsRollouts) return;
  yield {
    at: pathOf(subject, askingKey(subject) ?? ''),
    today: 'Reloader restarts it only with --is-Argo-Rollouts=true.',
    here: 'Reroll restarts it, unless it has --is-Argo-Rollouts=false.',
    fix: 'Write nothing if Reloader has the flag. If it does not, give Reroll --is-Argo-Rollouts=false to leave all Rollouts alone.',
    edits: [],
  };
}

/** A Rollout that uses the template of another object. */
export function* workloadRef(subject: MigrationSubject): Generator<Advice> {
  const { isRestarted, spec } = subject;
  const { workloadRef: ref, strategy } = spec.rollout ?? {};
  const key = askingKey(subject);
  // If only a flag asks, the Deployment's annotations count, as in Reloader.
  if (!isRestarted || !ref || key === undefined) return;
  const listsNames = sourceKinds.some((kind) => !spec.policy[kind].named.isEmpty);
  // Reroll cannot find out what the template of another kind uses.
  if (ref.kind !== 'Deployment' && (strategy !== 'restart' || !listsNames)) return;
  yield {
    at: pathOf(subject, key),
    today: 'Reloader skips a Rollout with a workloadRef.',
    here:
      strategy === 'restart'
        ? 'Reroll restarts its pods.'
        : `Reroll changes the pod template of Deployment ${ref.name}, which Argo then rolls out.`,
    fix: 'To keep what it does today, switch restarts off.',
    edits: optOut(subject),
  };
}

/** A DeploymentConfig of OpenShift. */
export function* deploymentConfig(subject: MigrationSubject): Generator<Advice> {
  if (subject.kind.kind !== 'DeploymentConfig' || !subject.isRestarted) return;
  yield {
    at: pathOf(subject, askingKey(subject) ?? ''),
    today: 'Reloader has not restarted DeploymentConfigs since version 1.4.5.',
    here: 'Reroll changes its pod template. A ConfigChange trigger, if it has one, rolls it out.',
    fix: 'To keep what it does today, switch restarts off.',
    edits: optOut(subject),
  };
}

/** A switch that is off, and nothing beside it that would count all the same. */
function optOut(subject: MigrationSubject): readonly Edit[] {
  const { auto } = subject.settings.keys;
  const others = requestingAnnotations(subject).flatMap(({ key }) => (key === auto ? [] : [key]));
  return [write(subject, auto, 'false'), ...remove(subject, [auto], ['template']), ...remove(subject, others)];
}
