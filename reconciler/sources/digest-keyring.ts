import { ContentDigester, type SourceDigester } from '../../shared/domain/sources/content-digest';

/**
 * The digest key of this process, which may be replaced by the shared key.
 *
 *     own key ── add ──▶ content under both, baselines under its own ── promote ──▶ both under the shared key
 *
 * Both keys stay in use until the process ends: what was recorded under the first is compared under the first.
 */
export class DigestKeyring implements SourceDigester {
  readonly #ownIds: Set<string>;
  #digester: ContentDigester;
  #keyId: string;
  #isShared: boolean;

  /** `isShared`: the key is stored in the cluster and outlives this process. */
  constructor(digester: ContentDigester, isShared: boolean) {
    this.#digester = digester;
    this.#keyId = digester.keyId;
    this.#ownIds = new Set([digester.keyId]);
    this.#isShared = isShared;
  }

  readonly digest: SourceDigester['digest'] = (...input) => this.#digester.digest(...input);

  /** The id of the key that baselines are written under. */
  get keyId(): string {
    return this.#keyId;
  }

  get isShared(): boolean {
    return this.#isShared;
  }

  /** Whether a baseline under the key with this id can be compared with current digests. */
  isOwn(keyId: string): boolean {
    return this.#ownIds.has(keyId);
  }

  /** From now on content is also digested under the shared key. */
  add(key: Buffer): void {
    this.#digester = new ContentDigester(key, this.#digester);
  }

  /** Called when all known content is digested under the added key. Returns whether a key was waiting for that. */
  promote(): boolean {
    const { keyId } = this.#digester;
    if (keyId === this.#keyId) return false;
    this.#keyId = keyId;
    this.#ownIds.add(keyId);
    this.#isShared = true;
    return true;
  }
}
