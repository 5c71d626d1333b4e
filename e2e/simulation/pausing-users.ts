import { objectAt, withValueAt } from '../apiserver/json';
import { pauseOf, periodAnnotation } from './pause-text';
import type { Place } from './places';
import { usageOf } from './usage';
import type { Users } from './users';

/** Requests a pause after restarts. An undefined period withdraws the request. */
export function askForPause(users: Users, deployment: Place, period: string | undefined): void {
  users.annotate(deployment, { [periodAnnotation]: period });
}

/** Like `kubectl rollout pause`. */
export function pauseByHand(users: Users, deployment: Place): void {
  users.edits.change(deployment, 'pause', (current) => withValueAt(current, ['spec', 'paused'], true));
}

/** Like `kubectl rollout resume`: the annotations stay. */
export function resumeByHand(users: Users, deployment: Place): void {
  users.edits.change(deployment, 'resume', (current) => withValueAt(current, ['spec', 'paused'], undefined));
}

export function isUsedBy(users: Users, workload: Place, { kind, namespace, name }: Place): boolean {
  const object = users.object(workload);
  return object !== undefined && usageOf(object).has(`${kind} ${namespace}/${name}`);
}

/** Whether an engine holds the Deployment paused, according to its annotation. */
export function isHeld(users: Users, deployment: Place): boolean {
  const object = users.object(deployment);
  return object !== undefined && pauseOf(object).pausedAt !== undefined;
}

/** Whether the workload is paused, so that `kubectl rollout undo` refuses it. */
export function isPaused(users: Users, workload: Place): boolean {
  return objectAt(users.object(workload), 'spec')['paused'] === true;
}
