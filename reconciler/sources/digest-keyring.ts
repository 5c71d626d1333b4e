import { ContentDigester, type SourceDigester } from '../../shared/domain/sources/content-digest';

/**
 * The key of this process's digests, which may give way to that of the install.
 *
 *     own key ── change ──▶ content under both, baselines under its own ── changed ──▶ both under that of the install
 *
 * Both keys are at work until the process ends: what was recorded under the first is compared under the first.
 */
export class DigestKeyring implements SourceDigester {
  readonly #ownIds: Set<string>;
  #digester: ContentDigester;
  #keyId: string;
  #isShared: boolean;

  /** `isShared`: the key is that of the install, and outlives this process. */
  constructor(digester: ContentDigester, isShared: boolean) {
    this.#digester = digester;
    this.#keyId = digester.keyId;
    this.#ownIds = new Set([digester.keyId]);
    this.#isShared = isShared;
  }

  readonly digest: SourceDigester['digest'] = (...source) => this.#digester.digest(...source);

  /** Of the key that baselines are written under. */
  get keyId(): string {
    return this.#keyId;
  }

  get isShared(): boolean {
    return this.#isShared;
  }

  /** Whether what was recorded under the key of this id can be compared with what is digested. */
  isOwn(keyId: string): boolean {
    return this.#ownIds.has(keyId);
  }

  /** From now on content is digested under the key of the install too. */
  add(key: Buffer): void {
    this.#digester = new ContentDigester(key, this.#digester);
  }

  /** All that is known has been digested under it. Returns whether that was waited for. */
  promote(): boolean {
    const { keyId } = this.#digester;
    if (keyId === this.#keyId) return false;
    this.#keyId = keyId;
    this.#ownIds.add(keyId);
    this.#isShared = true;
    return true;
  }
}
