import { objectAt, stringAt } from '../apiserver/json';
import type { WriteRecord } from '../apiserver/store';
import type { KubeObject } from '../apiserver/objects';
import { leaseName, ownNamespace } from '../engine-settings';
import { Contents, Digests, type Keys, type SourceName } from './contents';
import { isEngine } from './engine-user';
import { GateStates } from './gate-states';
import { keysAt } from './judge-counted';
import { SourceLists } from './key-lists';
import { isGone, Lives, namespaceOf, type Life } from './lives';
import type { Restored } from './restored';
import { plainRules, type Rules } from './rules';
import { isSelectedSource, SelectedNamespaces, sourceSelectorOf } from './selection';
import { isWatchedKind } from './scope-world';
import { SourceFlags } from './source-flags';
import { asksForRestarts, usageOf, type Use } from './usage';

/** The history so far, read once, and what the checks share. */
export class Case {
  /** The restore of etcd, if there was one. */
  readonly restored: Restored | undefined;
  /** Writes of engines that somebody else's admission webhook altered. */
  readonly altered = new Set<WriteRecord>();
  /** The revisions up to which the server compacted its history. */
  readonly compactions: number[] = [];
  /** Workloads with an altered write, even if nothing of the write was stored. */
  readonly alteredWorkloads = new Set<string>();
  /** Writes to workloads that others refused, in order. */
  readonly refusals: { readonly workload: string; readonly atMs: number }[] = [];
  readonly history: WriteRecord[] = [];
  readonly rules: Rules;
  /** Only the selected sources. To the install, no others exist. */
  readonly contents: Contents;
  /**
   * All sources, selected or not. The author of a change is whoever wrote it, even if the source was not selected then.
   */
  readonly stored: Contents;
  readonly namespaces: SelectedNamespaces;
  readonly flags = new SourceFlags();
  readonly lists = new SourceLists();
  readonly gates: GateStates;
  readonly #lives = new Lives();
  readonly #openEntries = new Map<string, number>();
  #digests: Digests | undefined;
  #holder: string | undefined;
  #firstLedRevision = Infinity;
  readonly #holders = new Set<string>();
  readonly #ledSince = new Map<string, number>();
  /** When each process acquired the Lease. */
  readonly #acquiredMs = new Map<string, number[]>();

  constructor(history: readonly WriteRecord[] = [], rules: Rules = plainRules, restored?: Restored) {
    this.restored = restored;
    this.rules = rules;
    this.contents = new Contents([], (object) => isSelectedSource(object, rules));
    this.stored = sourceSelectorOf(rules) !== undefined || rules.scope ? new Contents() : this.contents;
    this.namespaces = new SelectedNamespaces(rules);
    this.gates = new GateStates(rules);
    for (const record of history) this.add(record);
  }

  /** Returns the life that the write belongs to, if it is a write of a workload. */
  add(record: WriteRecord): Life | undefined {
    const { kind, key, object } = record;
    this.history.push(record);
    this.contents.add(record);
    if (this.stored !== this.contents) this.stored.add(record);
    this.namespaces.add(record);
    this.flags.add(record);
    this.lists.add(record);
    this.gates.add(record);
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
      // An entry that an intruder created never has to be finished.
      else if (isEngine(record.user) && !this.#openEntries.has(key)) this.#openEntries.set(key, record.atMs);
    }
    if (kind.kind === 'Lease' && key === `${ownNamespace}/${leaseName}`) this.#leaseWritten(record);
    return this.#lives.add(record);
  }

  /** What may restart the workload as the object is, regardless of the sources' own annotations. */
  usageOf(object: KubeObject): ReadonlyMap<SourceName, Use> {
    return usageOf(object, this.rules.autoReloadAll);
  }

  /**
   * What restarts the workload as the object is, given the sources' own annotations at that revision. Without a
   * revision, the newest annotations count.
   */
  usageAt(object: KubeObject, revision = Infinity): ReadonlyMap<SourceName, Keys> {
    const uses = [...this.usageOf(object)].filter(([source, use]) => this.flags.counts(source, use, revision));
    return new Map(uses.map(([source, { keys }]) => [source, keysAt(this, object, source, revision) ?? keys]));
  }

  /**
   * The newest revision at the time when every process knows what was written at `atMs`. Undefined if there is no such
   * promise.
   */
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

  /** The workloads that exist and that the install looks after. */
  get present(): readonly Life[] {
    return this.lives.filter(
      (life) =>
        !isGone(life) &&
        this.namespaces.isSelected(namespaceOf(life)) &&
        isWatchedKind(this.rules, life.writes[0].object),
    );
  }

  /** Open entries of the journal, with the times when they were written: Jobs that are being recreated. */
  get openEntries(): ReadonlyMap<string, number> {
    return this.#openEntries;
  }

  /** Undefined until an engine has created its digest key. */
  get digests(): Digests | undefined {
    return this.#digests;
  }

  /** The current holder of the Lease. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /** The revision at which any process first led. */
  get firstLedRevision(): number {
    return this.#firstLedRevision;
  }

  /**
   * Every process that ever took the Lease. A process that froze before its first renewal still finishes what it has
   * begun.
   */
  get processes(): readonly string[] {
    return [...this.#holders];
  }

  /** The revision at which this process first led. Infinity if it never did. */
  ledSince(user: string): number {
    return this.#ledSince.get(user) ?? Infinity;
  }

  /** When the term began in which the process led at this time. 0 if it did not. */
  termSinceMs(user: string, atMs: number): number {
    return this.#acquiredMs.get(user)?.findLast((each) => each <= atMs) ?? 0;
  }

  /**
   * A process leads once it knows that it acquired the Lease. It then renews the Lease, so `renewTime` differs from
   * `acquireTime`.
   */
  #leaseWritten({ object, revision, user, atMs }: WriteRecord): void {
    const spec = objectAt(object, 'spec');
    this.#holder = stringAt(object, 'spec', 'holderIdentity');
    if (this.#holder === user) this.#holders.add(user);
    if (spec['acquireTime'] === spec['renewTime']) {
      if (this.#holder === user) this.#acquiredMs.set(user, [...(this.#acquiredMs.get(user) ?? []), atMs]);
      return;
    }
    if (!this.#ledSince.has(user)) this.#ledSince.set(user, revision);
    this.#firstLedRevision = Math.min(this.#firstLedRevision, revision);
  }
}
