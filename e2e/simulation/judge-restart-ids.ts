import { stringAt, type JsonValue } from '../apiserver/json';
import type { WriteRecord } from '../apiserver/store';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { isOfWorkload } from './lives';
import { isLeftToNextRun } from './own-settings';

export const lastRestartAnnotation = 'reroll.dev/last-restart';

/** Returns `reroll.dev/last-restart` if this write has changed it, otherwise null. */
export function restartWrittenBy({ object, previous }: Pick<WriteRecord, 'object' | 'previous'>): JsonValue {
  const text = object.metadata.annotations?.[lastRestartAnnotation];
  if (text === undefined || text === previous?.metadata.annotations?.[lastRestartAnnotation]) return null;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

/** When the restart was decided, by its process's clock. A Job may be recreated long after that. */
export function decisionMs(write: WriteRecord): number {
  const atMs = Date.parse(stringAt(restartWrittenBy(write), 'at') ?? '');
  return Number.isNaN(atMs) ? write.atMs : Math.min(write.atMs, atMs);
}

/** Until when the process may have learnt what it decided by: a restart tells its time in whole milliseconds. */
export function decidedByMs(write: WriteRecord): number {
  return Math.min(write.atMs, decisionMs(write) + 1);
}

/**
 * An Event of a restart ends in `(env-vars, 1f0c88a2)`. The Event of a Job does not, because whichever process finishes
 * the recreation reports it.
 */
const toldId = /\((?:env-vars|annotations|restarted-at), (\w+)\)$/;

/**
 * Each restart has an id of its own, so that a search for it in annotation, marker, Event and log finds one restart. A
 * marker with a former id would restart nothing.
 */
export class RestartIds {
  /** By id, the workload and the content of the annotation. */
  readonly #written = new Map<string, string>();
  readonly #told = new Set<string>();
  /** Workloads from which others have taken out what Reroll wrote. */
  readonly #unsaid = new Set<string>();
  /** Workloads whose changes wait for their next run. */
  readonly #left = new Set<string>();

  /** `isAltered` says that others altered the write on its way. */
  wrote(write: WriteRecord, isAltered = false): readonly Violation[] {
    if (write.type === 'DELETED') return [];
    if (isAltered) this.#unsaid.add(`${write.kind.kind} ${write.key}`);
    if (write.kind.kind === 'Event') return isEngine(write.user) ? this.#eventWritten(write) : [];
    return isOfWorkload(write) ? this.#workloadWritten(write) : [];
  }

  #workloadWritten(write: WriteRecord): readonly Violation[] {
    const { kind, key, object, revision, user } = write;
    const workload = `${kind.kind} ${key}`;
    if (isLeftToNextRun(object)) this.#left.add(workload);
    const restart = restartWrittenBy(write);
    const id = stringAt(restart, 'id');
    if (id === undefined) return [];
    const written = `${workload} ${JSON.stringify(restart)}`;
    const former = this.#written.get(id);
    this.#written.set(id, former ?? written);
    // A rollback by others restores the annotation of a former restart.
    if (former === undefined || !isEngine(user)) return [];
    // If the answer to a Job's creation was lost and others deleted the Job, the same restart creates it once more.
    if (kind.kind === 'Job' && former === written) return [];
    return [shared(`${workload} at revision ${revision} carries restart ${id}, as ${former} did before`)];
  }

  #eventWritten({ object, key, revision }: WriteRecord): readonly Violation[] {
    const id = toldId.exec(stringAt(object, 'message') ?? '')?.[1];
    if (id === undefined) return [];
    const kind = stringAt(object, 'involvedObject', 'kind') ?? '';
    const name = `${stringAt(object, 'involvedObject', 'namespace') ?? ''}/${stringAt(object, 'involvedObject', 'name') ?? ''}`;
    const wasTold = this.#told.has(id);
    this.#told.add(id);
    const at = `Event ${key} at revision ${revision}`;
    if (wasTold) return [shared(`${at} tells of restart ${id} once more`)];
    if (this.#unsaid.has(`${kind} ${name}`)) return [];
    // A CronJob that Reroll may not annotate is run all the same, and a workload may be left to its next run.
    if (kind === 'CronJob' || this.#left.has(`${kind} ${name}`)) return [];
    if (this.#written.get(id)?.startsWith(`${kind} ${name} `) === true) return [];
    return [shared(`${at} tells of restart ${id} of ${kind} ${name}, which carries no such one`)];
  }
}

function shared(sentence: string): Violation {
  return { promise: 'restart id of another', sentence };
}
