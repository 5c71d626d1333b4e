import { objectAt, stringAt } from '../apiserver/json';
import type { WriteRecord } from '../apiserver/store';
import type { KubeObject } from '../apiserver/objects';
import { leaseName, ownNamespace } from '../engine-settings';
import { Contents, Digests, type Keys, type SourceName } from './contents';
import { isEngine } from './engine-user';
import { isGone, Lives, namespaceOf, type Life } from './lives';
import type { Restored } from './restored';
import { plainRules, type Rules } from './rules';
import { isSelectedSource, SelectedNamespaces, sourceSelectorOf } from './selection';
import { SourceFlags } from './source-flags';
import { asksForRestarts, usageOf, type Use } from './usage';

/** The history as far as it has come, read once, and what the checks share. */
export class Case {
  /** What etcd was restored from, once it was. */
  readonly restored: Restored | undefined;
  /** Writes of engines that others have changed on their way. */
  readonly altered = new Set<WriteRecord>();
  /** Up to which revisions the server has forgotten its history. */
  readonly compactions: number[] = [];
  /** Also of those of which nothing was stored. */
  readonly alteredWorkloads = new Set<string>();
  readonly history: WriteRecord[] = [];
  readonly rules: Rules;
  /** Of selected sources: to the install there are no others. */
  readonly contents: Contents;
  /** Selected or not: whoever changed a source is its author. */
  readonly stored: Contents;
  readonly namespaces: SelectedNamespaces;
  readonly flags = new SourceFlags();
  readonly #lives = new Lives();
  readonly #openEntries = new Set<string>();
  #digests: Digests | undefined;
  #holder: string | undefined;
  #firstLedRevision = Infinity;
  readonly #holders = new Set<string>();
  readonly #ledSince = new Map<string, number>();

  constructor(history: readonly WriteRecord[] = [], rules: Rules = plainRules, restored?: Restored) {
    this.restored = restored;
    this.rules = rules;
    this.contents = new Contents([], (object) => isSelectedSource(object, rules));
    this.stored = sourceSelectorOf(rules) !== undefined ? new Contents() : this.contents;
    this.namespaces = new SelectedNamespaces(rules);
    for (const record of history) this.add(record);
  }

  /** The life that the write belongs to, if it is of a workload. */
  add(record: WriteRecord): Life | undefined {
    const { kind, key, object } = record;
    this.history.push(record);
    this.contents.add(record);
    if (this.stored !== this.contents) this.stored.add(record);
    this.namespaces.add(record);
    this.flags.add(record);
    if (kind.kind === 'Secret' && key === `${ownNamespace}/reroll-digest-key`) {
      const text = stringAt(object, 'data', 'key');
      const digestKey = Buffer.from(text ?? '', 'base64');
      if (digestKey.length > 0) {
        if (this.#digests) this.#digests.add(digestKey);
        else this.#digests = new Digests(digestKey);
      }
    }
    if (kind.kind === 'Secret' && key.startsWith(`${ownNamespace}/reroll-job-`)) {
      if (record.type === 'DELETED') this.#openEntries.delete(key);
      // What an intruder puts there is nobody's to end.
      else if (isEngine(record.user)) this.#openEntries.add(key);
    }
    if (kind.kind === 'Lease' && key === `${ownNamespace}/${leaseName}`) this.#leaseWritten(record);
    return this.#lives.add(record);
  }

  /** What may restart the workload as it is, whatever the sources say of themselves. */
  usageOf(object: KubeObject): ReadonlyMap<SourceName, Use> {
    return usageOf(object, this.rules.autoReloadAll);
  }

  /** What restarts the workload as it is, by what the sources said of themselves at that revision; at last, without one. */
  usageAt(object: KubeObject, revision = Infinity): ReadonlyMap<SourceName, Keys> {
    const uses = [...this.usageOf(object)].filter(([source, use]) => this.flags.counts(source, use, revision));
    return new Map(uses.map(([source, { keys }]) => [source, keys]));
  }

  /** The newest revision that every process knows of, so long after this time; undefined where that is not promised. */
  shownBy(atMs: number): number | undefined {
    const { shownWithinMs } = this.rules;
    if (shownWithinMs === Infinity) return undefined;
    return this.history.findLast((write) => write.atMs <= atMs + shownWithinMs)?.revision;
  }

  asksForRestarts(object: KubeObject): boolean {
    return asksForRestarts(object, this.rules.autoReloadAll);
  }

  get lives(): readonly Life[] {
    return this.#lives.all;
  }

  /** Those that are there and are looked after. */
  get present(): readonly Life[] {
    return this.lives.filter((life) => !isGone(life) && this.namespaces.isSelected(namespaceOf(life)));
  }

  /** Entries of the journal: of Jobs that are being created anew. */
  get openEntries(): readonly string[] {
    return [...this.#openEntries];
  }

  /** Undefined where no engine came so far as to make its key. */
  get digests(): Digests | undefined {
    return this.#digests;
  }

  /** Who holds the Lease now. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /** When anybody first led. */
  get firstLedRevision(): number {
    return this.#firstLedRevision;
  }

  /** All that ever took the Lease: one that froze before it renewed that for the first time goes on with what it has begun. */
  get processes(): readonly string[] {
    return [...this.#holders];
  }

  /** When this process first led. */
  ledSince(user: string): number {
    return this.#ledSince.get(user) ?? Infinity;
  }

  /** A process leads when it knows that it does: then it renews the Lease, which leaves the time of its acquisition. */
  #leaseWritten({ object, revision, user }: WriteRecord): void {
    const spec = objectAt(object, 'spec');
    this.#holder = stringAt(object, 'spec', 'holderIdentity');
    if (this.#holder === user) this.#holders.add(user);
    if (spec['acquireTime'] === spec['renewTime']) return;
    if (!this.#ledSince.has(user)) this.#ledSince.set(user, revision);
    this.#firstLedRevision = Math.min(this.#firstLedRevision, revision);
  }
}
