import * as z from 'zod';
import { parsedJson } from '../kubernetes/json-value';
import { printable } from '../text/printable';
import { readLastRestart, type LastRestart } from './last-restart';

/** Why a workload was restarted, as Reroll noted it. */
export interface RestartCause extends Pick<LastRestart, 'atMs' | 'id'> {
  /** `cm/app` with the keys that changed; undefined: it is not known which. */
  readonly sources: ReadonlyMap<string, readonly string[] | undefined>;
  /** Those of the sources that were created, and that were deleted. Empty if an older version wrote it. */
  readonly created: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
  /** By source, the id of its change. Empty if an older version wrote it. */
  readonly changes: ReadonlyMap<string, string>;
  readonly by: readonly string[];
  /** The number of further users. */
  readonly moreUsers: number;
  /** Pods are not replaced: the next run of the workload has the change. */
  readonly isLeftToNextRun: boolean;
}

/** What happened to one of the sources of a restart. */
export function whatHappened({ created, deleted }: RestartCause, source: string): 'changed' | 'created' | 'deleted' {
  if (created.has(source)) return 'created';
  return deleted.has(source) ? 'deleted' : 'changed';
}

const names = z.array(z.string().transform((name) => printable(name, maxNameBytes)));
const ids = z.array(z.string()).default([]).catch([]);
const noted = z.object({
  sources: z.record(z.string(), names.nullable()).default({}),
  changes: z
    .record(z.string(), z.string().regex(/^[0-9a-f]{8}$/))
    .default({})
    .catch({}),
  created: ids,
  deleted: ids,
  by: names.default([]),
  byMore: z.int().positive().default(0),
  effect: z.string().optional(),
});

/** Nothing that Reroll writes is longer. */
const maxNameBytes = 256;

/** Reads all of `reroll.dev/last-restart`, for a person who asks; undefined if there is none, or it is not Reroll's. */
export function readRestartCause(text: string | undefined): RestartCause | undefined {
  const restart = readLastRestart(text);
  if (text === undefined || !restart) return undefined;
  const parsed = noted.safeParse(parsedJson(text));
  if (!parsed.success) return undefined;
  const { sources, changes, created, deleted, by, byMore, effect } = parsed.data;
  const named = (id: string): string => printable(id, 2 * maxNameBytes);
  return {
    ...{ atMs: restart.atMs, id: restart.id },
    sources: new Map(Object.entries(sources).map(([id, keys]) => [named(id), keys ?? undefined] as const)),
    changes: new Map(Object.entries(changes).map(([id, change]) => [named(id), change] as const)),
    created: new Set(created.map(named)),
    deleted: new Set(deleted.map(named)),
    by,
    moreUsers: byMore,
    isLeftToNextRun: effect === 'next-run',
  };
}
