import { stringAt, type JsonValue } from '../apiserver/json';
import type { WriteRecord } from '../apiserver/store';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { isOfWorkload } from './lives';
import { isLeftToNextRun } from './own-settings';

export const lastRestartAnnotation = 'reroll.dev/last-restart';

/** `reroll.dev/last-restart`, where this write has put another one there. */
export function restartWrittenBy({ object, previous }: Pick<WriteRecord, 'object' | 'previous'>): JsonValue {
  const text = object.metadata.annotations?.[lastRestartAnnotation];
  if (text === undefined || text === previous?.metadata.annotations?.[lastRestartAnnotation]) return null;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

/** An Event of a restart ends in `(env-vars, 1f0c88a2)`; that of a Job, which is told of by whoever ends it, does not. */
const toldId = /\((?:env-vars|annotations|restarted-at), (\w+)\)$/;

/**
 * The id of a restart is of that one alone: what looks for it in annotation, marker, Event and log finds one restart. A marker that
 * was there before would restart nothing.
 */
export class RestartIds {
  /** By id: the workload, and what the annotation told. */
  readonly #written = new Map<string, string>();
  readonly #told = new Set<string>();
  /** Workloads of which others have taken out what we wrote. */
  readonly #unsaid = new Set<string>();
  /** Workloads whose changes wait for their next run. */
  readonly #left = new Set<string>();

  /** `isAltered`: others have changed it on its way. */
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
    // What others roll back brings its former restart along.
    if (former === undefined || !isEngine(user)) return [];
    // A Job whose creation was not answered, and which others deleted, is created once more by the same restart.
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
    // A CronJob was run all the same where there is no right to annotate it, and what waits for its next run does so.
    if (kind === 'CronJob' || this.#left.has(`${kind} ${name}`)) return [];
    if (this.#written.get(id)?.startsWith(`${kind} ${name} `) === true) return [];
    return [shared(`${at} tells of restart ${id} of ${kind} ${name}, which carries no such one`)];
  }
}

function shared(sentence: string): Violation {
  return { promise: 'restart id of another', sentence };
}
