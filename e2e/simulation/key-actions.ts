import type { Draw } from './draw';
import { compareAnnotation, jsonKey, keysAnnotation, writtenLists } from './key-lists';
import { drawShared, say, type Stage } from './pace-actions';
import { sources, workloads, type Place } from './places';
import type { Users } from './users';

/** Which changes count. */
export const keyActions = {
  'list-keys': ({ users, later }: Stage, draw: Draw) => {
    const source = drawShared(users, draw);
    list(users, draw.chance(0.5) ? source : draw.pickAny(workloads), draw);
    for (let left = draw.int(1, 4), atMs = 0; left > 0; left--) {
      atMs += draw.int(300, draw.pick([3_000, 9_000]));
      later(atMs, () => users.editSource(draw.chance(0.8) ? source : users.usedSource(draw), draw));
    }
  },
  /** The restart for the edit is still owed when other keys begin to count. */
  'edit-and-list-keys': ({ users, later }: Stage, draw: Draw) => {
    const source = drawShared(users, draw);
    users.editSource(source, draw);
    for (const place of [source, ...draw.some(workloads, 0.5)]) {
      if (draw.chance(0.6)) later(draw.int(10, 900), () => list(users, place, draw));
    }
  },
  'compare-parsed': ({ users, later }: Stage, draw: Draw) => {
    const source = drawShared(users, draw);
    say(users, source, compareAnnotation, draw.pick(['parsed', 'parsed', 'parsed', 'bytes']));
    writeJson(users, source, draw);
    for (let left = draw.int(1, 4), atMs = 0; left > 0; left--) {
      atMs += draw.int(300, draw.pick([3_000, 9_000]));
      later(atMs, () => (draw.chance(0.75) ? reformat(users, source, draw) : writeJson(users, source, draw)));
    }
  },
  reformat: ({ users }: Stage, draw: Draw) => {
    for (const source of draw.some(sources, 0.7)) reformat(users, source, draw);
  },
} as const;

function list(users: Users, place: Place | undefined, draw: Draw): void {
  if (place) say(users, place, keysAnnotation, draw.pickAny(writtenLists));
}

function writeJson(users: Users, source: Place, draw: Draw): void {
  write(users, source, draw.int(1, 1_000_000), draw.int(1, 9), draw);
}

/** Only white space and the order of the keys change. */
function reformat(users: Users, source: Place, draw: Draw): void {
  const text = users.contentOf(source)?.[jsonKey];
  if (text === undefined) return;
  const { a, b } = JSON.parse(text) as { readonly a: number; readonly b: number };
  write(users, source, a, b, draw);
}

function write(users: Users, source: Place, a: number, b: number, draw: Draw): void {
  const space = ' '.repeat(draw.int(0, 9));
  const fields = [`"a":${space}${a}`, `"b":${space}${b}`];
  const text = `{${(draw.chance(0.5) ? fields : fields.reverse()).join(`,${space}`)}}`;
  const current = users.contentOf(source);
  if (current) users.writeSource(source, { ...current, [jsonKey]: text });
}
