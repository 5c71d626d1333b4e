import { BoundedMap } from '../bounded-map';
import { budgets } from '../budgets';
import { parsedJson, textsOf } from '../kubernetes/json-value';
import { printable } from '../text/printable';

/** Who made the changes that a restart answers. */
export interface RestartAuthors {
  readonly by: readonly string[];
  /** The number of further users. */
  readonly moreUsers: number;
}

/** Nobody reads more in one line. */
const maxNames = 5;
const maxNameBytes = 256;

/** A quote within a text is escaped, and keys of objects in the annotation are ids of sources, so no text looks like the field. */
const noted = /,"by":(\[(?:"(?:[^"\\]|\\.){1,520}",?){1,20}\])(?:,"byMore":(\d{1,4}))?/;

/**
 * By what is noted. The same few people and controllers make most changes: a cluster has ten thousand workloads, and
 * what is kept of each is no copy of a name.
 */
const known = new BoundedMap<string, RestartAuthors>({ maxBytes: budgets.restartAuthorsBytes });

/** The users in `reroll.dev/last-restart`; undefined: none are noted, or somebody else wrote the annotation. */
export function restartAuthors(text: string): RestartAuthors | undefined {
  const [field, names = '', more = '0'] = noted.exec(text) ?? [];
  if (field === undefined) return undefined;
  const same = known.use(field);
  if (same) return same;
  const users = textsOf(parsedJson(names));
  if (users.length === 0) return undefined;
  const by = users.slice(0, maxNames).map((name) => printable(name, maxNameBytes));
  const authors = { by, moreUsers: users.length - by.length + Number(more) };
  // A copy: V8 would keep the whole annotation for a slice of it.
  known.set(Buffer.from(field).toString(), authors, 2 * field.length);
  return authors;
}
