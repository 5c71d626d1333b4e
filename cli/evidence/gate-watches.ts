import { installHoldName } from '../../shared/domain/annotations/annotations';
import type { HealthInspection } from '../../shared/domain/protocol/health-inspection';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { namespaces, resourceName } from '../../shared/kube/resource';

type Health = Pick<Tolerant<HealthInspection>, 'watches'>;
type ToldWatch = Health['watches'][number];

/** The watch that shows what namespaces say; undefined: their annotations do not count, or the leader is too old. */
export function namespaceWatch({ watches }: Health): ToldWatch | undefined {
  return watches.find(({ name }) => name === resourceName(namespaces));
}

/** The watch that shows whether everything is held; undefined: the leader is too old to hold anything. */
export function installHoldWatch({ watches }: Health): ToldWatch | undefined {
  return watches.find(({ name }) => name.startsWith(`configmap ${installHoldName}`));
}
