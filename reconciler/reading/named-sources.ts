import { errorMessage } from '../../shared/domain/errors';
import { objectKey, splitObjectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import { sourceId, type SourceKind } from '../../shared/domain/sources/source';
import { isRbacForbidden } from '../../shared/kube/client/permission-probe';
import { sleep, type Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { HintsOptions } from '../hints/hints';
import type { SourceIndex } from '../sources/source-index';
import type { WorkloadIndex } from '../workloads/workload-index';
import type { RefusedSources } from '../watch/watches';

export interface NamedSourcesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly workloads: Pick<WorkloadIndex, 'tracked'>;
  readonly sources: Pick<SourceIndex, 'learn' | 'learnAbsence'>;
  readonly readSource: HintsOptions['readSource'];
  /** Kinds that may be neither listed nor watched, and the namespaces. */
  readonly refused: () => readonly RefusedSources[];
  /** The state of the source is known now, and was not before. */
  readonly onKnown: (kind: SourceKind, namespace: string, name: string) => void;
}

/** A change is seen this late at worst; with the webhook at once. */
const pollMs = 30_000;

/** Until it is known which kinds are refused. */
const firstPollMs = 1_000;

/**
 * Reads the sources that workloads use by name, for kinds that may not be listed but of which some may be read: a Role
 * can name the Secrets that it opens, but a list cannot be restricted to names. Sources that only a pattern matches are
 * not found.
 */
export class NamedSources {
  readonly #options: NamedSourcesOptions;
  readonly #known = new Set<string>();
  readonly #reported = new Set<string>();
  /** Incremented when all earlier reads become invalid. */
  #generation = 0;
  #wake = new AbortController();

  constructor(options: NamedSourcesOptions) {
    this.#options = options;
  }

  /** If a source may not be read, nothing may be concluded, least of all that it was deleted. */
  knows(kind: SourceKind, namespace: string, name: string): boolean {
    return this.#known.has(identity(kind, objectKey(namespace, name)));
  }

  /** Earlier reads may be older than what another leader has acted on. */
  readAnew(): void {
    this.#generation++;
    this.#known.clear();
    this.#wake.abort();
  }

  /** Never rejects; ends with the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    await sleep(clock, firstPollMs, signal);
    while (!signal.aborted) {
      this.#wake = new AbortController();
      await this.#poll(signal);
      await sleep(clock, pollMs, AbortSignal.any([signal, this.#wake.signal]));
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const refused = this.#options.refused();
    const wanted = refused.map(({ kind, namespace }) => ({ kind, keys: this.#wanted(kind, namespace) }));
    this.#forgetOthers(new Set(wanted.flatMap(({ kind, keys }) => [...keys].map((key) => identity(kind, key)))));
    for (const { kind, keys } of wanted) {
      for (const key of keys) {
        if (signal.aborted) return;
        await this.#read(kind, key);
      }
    }
  }

  /** Forgets sources that no workload uses any more: anybody may change the lists as often as they like. */
  #forgetOthers(wanted: ReadonlySet<string>): void {
    for (const ids of [this.#known, this.#reported]) for (const id of ids) if (!wanted.has(id)) ids.delete(id);
  }

  #wanted(kind: RefusedSources['kind'], within: string | undefined): ReadonlySet<ObjectKey> {
    const keys = new Set<ObjectKey>();
    for (const { record } of this.#options.workloads.tracked()) {
      const { namespace, references, policy } = record;
      if (within !== undefined && within !== namespace) continue;
      for (const reference of references) if (reference.kind === kind) keys.add(objectKey(namespace, reference.name));
      for (const name of policy[kind].named.literals) keys.add(objectKey(namespace, name));
    }
    return keys;
  }

  async #read(kind: RefusedSources['kind'], key: ObjectKey): Promise<void> {
    const { sources, readSource, logger, onKnown } = this.#options;
    const { namespace, name } = splitObjectKey(key);
    const generation = this.#generation;
    const id = identity(kind, key);
    try {
      const record = await readSource(kind, namespace, name);
      if (generation !== this.#generation) return;
      if (record) sources.learn(record);
      else sources.learnAbsence(kind, namespace, name);
      this.#reported.delete(id);
      if (this.#known.has(id)) return;
      this.#known.add(id);
      onKnown(kind, namespace, name);
    } catch (error) {
      if (!isRbacForbidden(error)) {
        logger.debug(`cannot read ${kind} ${key}; trying again`, { error: errorMessage(error) });
        return;
      }
      this.#known.delete(id);
      if (this.#reported.has(id)) return;
      this.#reported.add(id);
      logger.warn(`no right to read ${kind} ${key}, nor to list its kind: no workload restarts for it`, {
        error: errorMessage(error),
      });
    }
  }
}

function identity(kind: SourceKind, key: ObjectKey): string {
  const { namespace, name } = splitObjectKey(key);
  return `${namespace}/${sourceId(kind, name)}`;
}
