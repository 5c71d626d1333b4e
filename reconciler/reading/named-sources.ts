import { errorMessage } from '../../shared/domain/errors';
import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import { sourceKey, type SourceKey, type SourceRef } from '../../shared/domain/sources/source';
import { isRbacForbidden } from '../../shared/kube/client/permission-probe';
import { sleep, type Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { HintsOptions } from '../hints/hints';
import type { SourceIndex } from '../sources/source-index';
import type { WorkloadIndex } from '../workloads/workload-index';
import { isAmong, type RefusedSources } from '../watch/watches';

export interface NamedSourcesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly workloads: Pick<WorkloadIndex, 'tracked'>;
  readonly sources: Pick<SourceIndex, 'get' | 'learn' | 'learnAbsence'>;
  readonly readSource: HintsOptions['readSource'];
  /** Kinds that may be neither listed nor watched, each with the namespace where that is so. */
  readonly refused: () => readonly RefusedSources[];
  /** Called when the state of a source becomes known. */
  readonly onKnown: (source: SourceRef) => void;
}

/** A source of a kind that may be neither listed nor watched. */
type RefusedSource = SourceRef<RefusedSources['kind']>;

/** A change is seen this late at worst, and at once if the webhook reports it. */
const pollMs = 30_000;

/** By then the watches have usually shown which kinds are refused. */
const firstPollMs = 1_000;

/**
 * Reads the sources that workloads use by name, for kinds that may not be listed but of which some may be read: a Role
 * can name the Secrets that it opens, but a list cannot be restricted to names. Sources that only a pattern matches are
 * not found.
 */
export class NamedSources {
  readonly #options: NamedSourcesOptions;
  readonly #known = new Set<SourceKey>();
  readonly #reported = new Set<SourceKey>();
  /** Incremented when all earlier reads become invalid. */
  #generation = 0;
  #wake = new AbortController();

  constructor(options: NamedSourcesOptions) {
    this.#options = options;
  }

  /** Whether a source's state is known. If it may not be read, nothing may be concluded, least of all its deletion. */
  knows(source: SourceRef): boolean {
    return this.#known.has(sourceKey(source));
  }

  /** Reads everything again: earlier reads may be older than the state that another leader acted on. */
  readAnew(): void {
    this.#generation++;
    this.#known.clear();
    this.#wake.abort();
  }

  /** Never rejects; ends with the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    signal.addEventListener('abort', () => this.#wake.abort());
    await sleep(clock, firstPollMs, signal);
    while (!signal.aborted) {
      this.#wake = new AbortController();
      await this.#poll(signal);
      await sleep(clock, pollMs, this.#wake.signal);
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const wanted = this.#wanted();
    this.#forgetOthers(wanted);
    for (const source of wanted.values()) {
      if (signal.aborted) return;
      await this.#read(source);
    }
  }

  /** Forgets sources that no workload uses any more: users may change what their workloads name without limit. */
  #forgetOthers(wanted: ReadonlyMap<SourceKey, unknown>): void {
    for (const keys of [this.#known, this.#reported]) for (const key of keys) if (!wanted.has(key)) keys.delete(key);
  }

  #wanted(): ReadonlyMap<SourceKey, RefusedSource> {
    const wanted = new Map<SourceKey, RefusedSource>();
    for (const { kind, namespace: within } of this.#options.refused()) {
      for (const { record } of this.#options.workloads.tracked()) {
        const { namespace, references, policy } = record;
        if (within !== undefined && within !== namespace) continue;
        const used = references.filter((reference) => reference.kind === kind).map(({ name }) => name);
        for (const name of [...used, ...policy[kind].named.literals]) {
          const source = { kind, namespace, name };
          wanted.set(sourceKey(source), source);
        }
      }
    }
    return wanted;
  }

  async #read(source: RefusedSource): Promise<void> {
    const { sources, readSource, logger, onKnown } = this.#options;
    const generation = this.#generation;
    const key = sourceKey(source);
    try {
      const before = sources.get(source);
      const record = await readSource(source);
      // If it may be listed by now, the watch shows it, perhaps in a later state than this read.
      if (generation !== this.#generation || !this.#isRefused(source)) return;
      // A change record may have caused another read meanwhile. The older one of both would revert the index.
      const shown = sources.get(source);
      const isCurrent = shown?.resourceVersion === before?.resourceVersion;
      const isLater = shown && record && isOlderVersion(shown.resourceVersion, record.resourceVersion);
      if (record && (isCurrent || isLater === true)) sources.learn(record);
      else if (isCurrent) sources.learnAbsence(source);
      this.#reported.delete(key);
      if (this.#known.has(key)) return;
      this.#known.add(key);
      onKnown(source);
    } catch (error) {
      if (!isRbacForbidden(error)) {
        logger.debug(`cannot read ${key}; trying again`, { error: errorMessage(error) });
        return;
      }
      this.#known.delete(key);
      if (this.#reported.has(key)) return;
      this.#reported.add(key);
      logger.warn(`missing permission to read ${key} or to list its kind: no workload restarts for it`, {
        error: errorMessage(error),
      });
    }
  }

  #isRefused(source: RefusedSource): boolean {
    return isAmong(this.#options.refused(), source);
  }
}
