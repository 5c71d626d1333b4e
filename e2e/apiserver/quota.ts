import type { ResourceKind } from './resources';
import { forbidden } from './status';
import { type Store } from './store';

interface Limit {
  readonly quota: string;
  readonly namespace: string;
  readonly kind: ResourceKind;
  readonly hard: number;
}

/** ResourceQuota for object counts. It rejects after admission, so an admitted object may still not be stored. */
export class Quota {
  readonly #limits: Limit[] = [];

  limit(quota: string, namespace: string, kind: ResourceKind, hard: number): void {
    this.#limits.push({ quota, namespace, kind, hard });
  }

  /** @throws StatusError 403 if one more object of the kind would exceed a quota. */
  check(store: Store, kind: ResourceKind, namespace: string | undefined, name: string): void {
    for (const { quota, hard } of this.#limits.filter((row) => row.kind === kind && row.namespace === namespace)) {
      const used = [...store.list(kind)].filter((object) => object.metadata.namespace === namespace).length;
      if (used < hard) continue;
      const counted = kind.group === '' ? kind.plural : `count/${kind.plural}.${kind.group}`;
      const numbers = `requested: ${counted}=1, used: ${counted}=${used}, limited: ${counted}=${hard}`;
      throw forbidden(kind, name, `exceeded quota: ${quota}, ${numbers}`);
    }
  }
}
