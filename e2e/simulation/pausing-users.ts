import { objectAt, withValueAt } from '../apiserver/json';
import { pauseOf, periodAnnotation } from './pause-text';
import type { Place } from './places';
import { usageOf } from './usage';
import type { Users } from './users';

/** An undefined period asks for no pause any more. */
export function askForPause(users: Users, deployment: Place, period: string | undefined): void {
  users.annotate(deployment, { [periodAnnotation]: period });
}

/** As `kubectl rollout pause`. */
export function pauseByHand(users: Users, deployment: Place): void {
  users.edits.change(deployment, 'pause', (current) => withValueAt(current, ['spec', 'paused'], true));
}

/** As `kubectl rollout resume`: what stands in annotations stays. */
export function resumeByHand(users: Users, deployment: Place): void {
  users.edits.change(deployment, 'resume', (current) => withValueAt(current, ['spec', 'paused'], undefined));
}

export function isUsedBy(users: Users, workload: Place, { kind, namespace, name }: Place): boolean {
  const object = users.object(workload);
  return object !== undefined && usageOf(object).has(`${kind} ${namespace}/${name}`);
}

/** By an engine, as far as the object tells. */
export function isHeld(users: Users, deployment: Place): boolean {
  const object = users.object(deployment);
  return object !== undefined && pauseOf(object).pausedAt !== undefined;
}

/** `kubectl rollout undo` is refused then. */
export function isPaused(users: Users, workload: Place): boolean {
  return objectAt(users.object(workload), 'spec')['paused'] === true;
}
