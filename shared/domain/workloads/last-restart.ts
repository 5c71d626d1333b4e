import { restartAuthors, type RestartAuthors } from './restart-authors';

/** The last restart of a workload, as Reroll noted it on the workload. */
export interface LastRestart {
  readonly atMs: number;
  readonly id: string;
  /** Ids of the changes that it answers, and of earlier ones whose contents the sources still have, as far as noted. */
  readonly changeIds?: readonly string[];
  /** Those of them that an earlier restart answered. */
  readonly earlierChangeIds?: readonly string[];
  /** Undefined: the webhook did not see the changes. */
  readonly authors?: RestartAuthors;
}

/**
 * The beginning of the annotation, as Reroll writes it. Whoever may write the workload may write another, so no other
 * time or id is shown. Date takes 24:00 for the next day, and the day after the last of the year 9999 is no time that an
 * answer can tell. The rest may be long: an id that V8 keeps as a slice of it would keep it all in memory.
 */
const beginning = /^\{"at":"(\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z)","id":"([0-9a-f]{8})"/;

/** The ids of the changes: Reroll names a few sources, and names of sources hold neither quote nor brace. */
const noted = /"changes":\{((?:"[^"{}]{1,300}":"[0-9a-f]{8}",?){1,20})\}/;
const notedId = /":"([0-9a-f]{8})"/g;
const further = /"more":\[((?:"[0-9a-f]{8}",?){1,20})\]/;
const earlier = /"also":\[((?:"[0-9a-f]{8}",?){1,20})\]/;
const otherId = /"([0-9a-f]{8})"/g;

/** The rest of a longer text is not Reroll's. */
const maxBytes = 16_384;

/** Reads the time and the id from `reroll.dev/last-restart`; undefined if there is none, or somebody else wrote it. */
export function readLastRestart(text: string | undefined): LastRestart | undefined {
  const [, time = '', id = ''] = beginning.exec(text ?? '') ?? [];
  const atMs = Date.parse(time);
  if (Number.isNaN(atMs)) return undefined;
  const own = text?.slice(0, maxBytes) ?? '';
  const earlierChangeIds = idsIn(own, earlier, otherId);
  const changeIds = [...idsIn(own, noted, notedId), ...idsIn(own, further, otherId), ...earlierChangeIds];
  const authors = restartAuthors(own);
  return {
    ...{ atMs, id },
    ...(changeIds.length > 0 && { changeIds }),
    ...(earlierChangeIds.length > 0 && { earlierChangeIds }),
    ...(authors && { authors }),
  };
}

/** Each is a copy: V8 keeps slices only of 13 characters and more. */
function idsIn(text: string, list: RegExp, each: RegExp): readonly string[] {
  const [, ids = ''] = list.exec(text) ?? [];
  return [...ids.matchAll(each)].map(([, id = '']) => id);
}
