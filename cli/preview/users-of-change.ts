import { sameGateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { sourceId, type SourceFlags } from '../../shared/domain/sources/source';
import { askSource } from '../cluster/ask-about';
import type { Cluster } from '../cluster/cluster';
import { noAnswer, type LeaderSilentError } from '../cluster/silence';
import type { Install } from '../evidence/install';
import { readPlace, type Place } from '../evidence/place';
import type { SeenSources } from '../evidence/seen-sources';
import { readWorkloads, type SeenWorkloads } from '../evidence/seen-workloads';
import { isSourceWatched, userFromObjects, type SourceUsers, type UserEvidence } from '../users/read-users';
import type { SourceChange } from './source-change';

/** Finds who uses the source of a change: asks the leader, or else reads each namespace once. */
export class ChangeUsers {
  readonly #cluster: Cluster;
  readonly #install: Install;
  readonly #rerollNamespace: string;
  readonly #timeoutMs: number;
  readonly #places = new Map<string, Promise<Place>>();
  readonly #namespaces = new Map<string, Promise<SeenWorkloads>>();
  #silence: LeaderSilentError | undefined;

  constructor(
    cluster: Cluster,
    install: Install,
    { rerollNamespace, timeoutMs }: { readonly rerollNamespace: string; readonly timeoutMs: number },
  ) {
    this.#cluster = cluster;
    this.#install = install;
    this.#rerollNamespace = rerollNamespace;
    this.#timeoutMs = timeoutMs;
  }

  /** Why the leader did not answer; undefined: it did, or was not asked. */
  get silence(): LeaderSilentError | undefined {
    return this.#silence;
  }

  /** Rights without which some workloads are missing. */
  async missingRights(): Promise<readonly string[]> {
    const all = await Promise.all(this.#namespaces.values());
    return [...new Set(all.flatMap(({ missingRights }) => missingRights))];
  }

  /** What the objects do not tell, with the reason. */
  async notKnown(): Promise<readonly string[]> {
    const all = await Promise.all(this.#places.values());
    return [...new Set(all.flatMap(({ notKnown }) => notKnown))];
  }

  /** What the objects tell, with the source as it is after the change. @throws KubeError */
  async evidence(change: SourceChange): Promise<UserEvidence> {
    const place = await this.#placeOf(change.source.namespace);
    return { install: this.#install, sources: seenAfter(change), place, nowMs: this.#cluster.clock.nowMs() };
  }

  /** @throws NoAnswerError, KubeError */
  async of(change: SourceChange): Promise<SourceUsers> {
    if (!this.#silence) {
      const told = await askSource(this.#cluster, change.source);
      if (!told.silence && decidesFor(told.said, change)) return told.said;
      this.#silence = told.silence;
    }
    return await this.#fromObjects(change);
  }

  async #fromObjects(change: SourceChange): Promise<SourceUsers> {
    const { source } = change;
    const { kind, namespace, name } = source;
    const [{ records, missingRights, isAllHidden }, evidence] = await Promise.all([
      this.#workloadsIn(namespace),
      this.evidence(change),
    ]);
    if (isAllHidden) {
      const message = `the change alters annotations of ${kind} ${namespace}/${name} that decide`;
      throw noAnswer(this.#silence ?? { message }, missingRights);
    }
    return {
      ...{ v: 1, kind, namespace, name, namespaceSelected: evidence.place.isSelected !== false },
      presence: isSourceWatched(source, this.#install) ? 'present' : 'not-watched',
      users: records.flatMap((record) => userFromObjects(record, source, evidence)),
    };
  }

  async #placeOf(namespace: string): Promise<Place> {
    const known = this.#places.get(namespace);
    if (known) return await known;
    const around = { install: this.#install, rerollNamespace: this.#rerollNamespace };
    const reading = readPlace(this.#cluster.client, namespace, around, { timeoutMs: this.#timeoutMs });
    this.#places.set(namespace, reading);
    return await reading;
  }

  async #workloadsIn(namespace: string): Promise<SeenWorkloads> {
    const known = this.#namespaces.get(namespace);
    if (known) return await known;
    const reading = readWorkloads(this.#cluster.client, namespace, this.#install, { timeoutMs: this.#timeoutMs });
    this.#namespaces.set(namespace, reading);
    return await reading;
  }
}

/** The source as workloads find it after the change, or before a deletion. */
function seenAfter({ source, before, after }: SourceChange): SeenSources {
  const { flags, gates } = after ?? before ?? {};
  if (!flags) return new Map();
  const facts = { ...flags, createdAtMs: 0, write: undefined, isSelected: true, ...(gates && { gates }) };
  return new Map([[sourceId(source), { is: 'there', value: facts }]]);
}

/** Whether the leader has decided by the annotations that the source has after the change. */
function decidesFor({ presence, ignore, match }: SourceUsers, { before, after }: SourceChange): boolean {
  const told: SourceFlags = presence === 'present' ? { ignore: ignore === true, match: match === true } : unset;
  const flags = (after ?? before)?.flags ?? told;
  const isSame = flags.ignore === told.ignore && flags.match === told.match;
  return isSame && sameGateSettings(before?.gates, (after ?? before)?.gates);
}

const unset: SourceFlags = { ignore: false, match: false };
