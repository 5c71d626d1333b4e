import { installHoldName } from '../../shared/domain/annotations/annotations';
import type { HoldSetting } from '../../shared/domain/gate-settings/hold';
import type { InstallHold } from '../../shared/domain/gates/gate';
import { installHoldOf, installHoldSetting } from '../../shared/domain/gates/install-hold';
import { objectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import type { Decoder } from '../../shared/kube/wire/decoder';
import { metadataFromJson, requireIdentity } from '../../shared/kube/wire/object-metadata';

/**
 * The hold of the whole install: a ConfigMap in Reroll's namespace, which holds by being there. In an emergency,
 * `kubectl create configmap reroll-hold` is enough. Nobody applies it together with workloads, so no tool that corrects
 * drift undoes it, and a GitOps repository can own it.
 */
export class HeldInstall {
  readonly #key: ObjectKey;
  readonly #onChange: () => void;
  #setting: HoldSetting | undefined;

  constructor(ownNamespace: string, onChange: () => void) {
    this.#key = objectKey(ownNamespace, installHoldName);
    this.#onChange = onChange;
  }

  /** The hold, whether it is over or not; undefined: there is none. */
  get hold(): InstallHold | undefined {
    return installHoldOf(this.#setting, this.#key);
  }

  /** Receives that one ConfigMap. */
  sink(onSynced: () => void): ReflectorSink<HoldSetting> {
    return {
      upsert: (setting) => this.#take(setting),
      remove: () => this.#take(undefined),
      keys: () => (this.#setting === undefined ? [] : [this.#key]),
      synced: onSynced,
    };
  }

  #take(setting: HoldSetting | undefined): void {
    this.#setting = setting;
    this.#onChange();
  }
}

export const installHoldDecoder: Decoder<HoldSetting> = {
  accepts: 'json',
  fromJson(object) {
    const metadata = metadataFromJson(object);
    requireIdentity(metadata);
    const { namespace, name, uid, resourceVersion } = metadata;
    return { key: objectKey(namespace, name), uid, resourceVersion, object: installHoldSetting(object) };
  },
};
