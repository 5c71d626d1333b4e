import { annotation, annotationsOf, gateAnnotations } from '../annotations/annotations';
import { readHold, type HoldSetting } from '../gate-settings/hold';
import type { ObjectKey } from '../kubernetes/object-key';
import type { InstallHold } from './gate';

/** What the ConfigMap of the install says. It holds by being there. */
export function installHoldSetting(object: unknown): HoldSetting {
  return readHold(annotation(annotationsOf(object), gateAnnotations.hold) ?? 'true').hold;
}

/** The hold, whether it is over or not; undefined: there is none. */
export function installHoldOf(setting: HoldSetting | undefined, key: ObjectKey): InstallHold | undefined {
  return setting === undefined || setting === 'off' ? undefined : { ...setting, bearer: `ConfigMap ${key}` };
}
