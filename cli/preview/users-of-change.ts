import { watchedSourceKinds } from '../../shared/domain/lint/lint-subject';
import { sourceInspectionSchema } from '../../shared/domain/protocol/source-inspection';
import { sourceId, type SourceFlags, type SourceRef } from '../../shared/domain/sources/source';
import { askLeader } from '../cluster/ask-leader';
import type { Cluster } from '../cluster/cluster';
import { NoAnswerError, type LeaderSilentError } from '../cluster/silence';
import type { Install } from '../evidence/install';
import type { SeenSources } from '../evidence/seen-sources';
import { readWorkloads, type SeenWorkloads } from '../evidence/seen-workloads';
import { readSelection } from '../evidence/workload-evidence';
import { userFromObjects, type SourceUsers } from '../users/read-users';
import type { SourceChange } from './source-change';

/** Finds who uses the source of a change: asks the leader, or else reads each namespace once. */
export class ChangeUsers {
  readonly #cluster: Cluster;
  readonly #install: Install;
  readonly #timeoutMs: number;
  readonly #namespaces = new Map<string, Promise<SeenWorkloads>>();
  #silence: LeaderSilentError | undefined;

  constructor(cluster: Cluster, install: Install, timeoutMs: number) {
    this.#cluster = cluster;
    this.#install = install;
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

  /** @throws NoAnswerError, KubeError */
  async of(change: SourceChange): Promise<SourceUsers> {
    const { kind, namespace, name } = change.source;
    if (!this.#silence) {
      const told = await askLeader(this.#cluster, `/v1/sources/${kind}/${namespace}/${name}`, sourceInspectionSchema);
      if (!told.silence && decidesFor(told.said, change)) return told.said;
      this.#silence = told.silence;
    }
    return await this.#fromObjects(change);
  }

  async #fromObjects(change: SourceChange): Promise<SourceUsers> {
    const { source } = change;
    const { kind, namespace, name } = source;
    const { client } = this.#cluster;
    const limits = { timeoutMs: this.#timeoutMs };
    const [{ records, missingRights }, isSelected] = await Promise.all([
      this.#workloadsIn(namespace),
      readSelection(client, namespace, this.#install, limits),
    ]);
    if (records.length === 0 && missingRights.length > 0) {
      const why = this.#silence?.message ?? `the change alters annotations of ${kind} ${namespace}/${name} that decide`;
      throw new NoAnswerError(`${why}; and ${missingRights.join(', ')}, so there is nothing to answer from`);
    }
    const seen = seenAfter(change);
    const isWatched = isSourceWatched(source, this.#install.settings);
    return {
      ...{ v: 1, kind, namespace, name, namespaceSelected: isSelected !== false },
      presence: isWatched ? 'present' : 'not-watched',
      users: records.flatMap((record) => userFromObjects(record, source, this.#install, seen)),
    };
  }

  async #workloadsIn(namespace: string): Promise<SeenWorkloads> {
    const known = this.#namespaces.get(namespace);
    if (known) return await known;
    const reading = readWorkloads(this.#cluster.client, namespace, this.#install, { timeoutMs: this.#timeoutMs });
    this.#namespaces.set(namespace, reading);
    return await reading;
  }
}

function isSourceWatched({ kind, namespace }: SourceRef, settings: Install['settings']): boolean {
  const { namespaces, namespacesToIgnore } = settings.selection;
  const isIn = namespaces.length > 0 ? namespaces.includes(namespace) : !namespacesToIgnore.includes(namespace);
  return isIn && watchedSourceKinds(settings).includes(kind);
}

/** The source as workloads find it after the change, or before a deletion. */
export function seenAfter({ source, before, after }: SourceChange): SeenSources {
  const flags = (after ?? before)?.flags;
  if (!flags) return new Map();
  const facts = { ...flags, createdAtMs: 0, write: undefined, isSelected: true };
  return new Map([[sourceId(source), { is: 'there', value: facts }]]);
}

/** Whether the leader has decided by the annotations that the source has after the change. */
function decidesFor({ presence, ignore, match }: SourceUsers, { before, after }: SourceChange): boolean {
  const told: SourceFlags = presence === 'present' ? { ignore: ignore === true, match: match === true } : unset;
  const flags = (after ?? before)?.flags ?? told;
  return flags.ignore === told.ignore && flags.match === told.match;
}

const unset: SourceFlags = { ignore: false, match: false };
