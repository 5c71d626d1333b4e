/** The last restart of a workload, as Reroll noted it on the workload. */
export interface LastRestart {
  readonly atMs: number;
  readonly id: string;
}

/**
 * The beginning of the annotation, as Reroll writes it. Whoever may write the workload may write another, so no other
 * time or id is shown. The rest may be long: an id that V8 keeps as a slice of it would keep it all in memory.
 */
const beginning = /^\{"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)","id":"([0-9a-f]{8})"/;

/** Reads the time and the id from `reroll.dev/last-restart`; undefined if there is none, or somebody else wrote it. */
export function readLastRestart(text: string | undefined): LastRestart | undefined {
  const [, time = '', id = ''] = beginning.exec(text ?? '') ?? [];
  const atMs = Date.parse(time);
  return Number.isNaN(atMs) ? undefined : { atMs, id };
}
