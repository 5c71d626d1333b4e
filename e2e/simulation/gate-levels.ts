import type { GateAnnotations } from './gate-annotations';
import type { GateFlags } from './gate-flags';

/** What may keep a restart for a change of one source from beginning, as one process may know it. */
export interface GateLevels {
  readonly workload: GateAnnotations;
  readonly source: GateAnnotations;
  readonly namespace: GateAnnotations;
  readonly flags: GateFlags;
  /** The annotations of the hold of everything; undefined: there is none. */
  readonly everything: GateAnnotations | undefined;
  /** When Reroll last restarted the workload; undefined: never, or nothing says so. */
  readonly restartedMs: number | undefined;
}

/** The first value that can be read, from the workload outwards. */
export function nearest<T>(
  { workload, source, namespace }: GateLevels,
  key: string,
  read: (text: string) => T | undefined,
): T | undefined {
  for (const { [key]: text } of [workload, source, namespace]) {
    const value = text === undefined ? undefined : read(text);
    if (value !== undefined) return value;
  }
  return undefined;
}
