import type { ResourceKind } from './resources';
import { forbidden } from './status';
import { type Store } from './store';

interface Limit {
  readonly quota: string;
  readonly namespace: string;
  readonly kind: ResourceKind;
  readonly hard: number;
}

/** ResourceQuota for object counts: rejects after admission said yes, so that admitted is not stored. */
export class Quota {
  readonly #limits: Limit[] = [];

  limit(quota: string, namespace: string, kind: ResourceKind, hard: number): void {
    this.#limits.push({ quota, namespace, kind, hard });
  }

  /** @throws StatusError 403 when one more object of the kind is too many. */
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
