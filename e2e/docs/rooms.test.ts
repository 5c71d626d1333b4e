import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { noImportUpwards } from '../../no-import-upwards.mjs';
import { towers, whyNot } from '../../rooms.mjs';
import { projectDir } from '../control-plane/versions';
import { textOf } from './pages';

/** Folders with code of the product, not only tests. */
function folders(tower: string): readonly string[] {
  const entries = readdirSync(path.join(projectDir, tower), { recursive: true, encoding: 'utf8' });
  const files = entries.filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file));
  return [...new Set(files.map((file) => path.posix.dirname(`${tower}/${file}`)))];
}

describe.each(Object.entries(towers))('the drawing of %s', (tower, floors) => {
  it('has each folder, and no other', () => {
    expect(floors.toSorted()).toEqual(folders(tower).toSorted());
  });

  it('stands in docs/architecture.md, from the top floor down', () => {
    const rows = textOf('docs/architecture.md').matchAll(/^\| `([a-z/-]+)`\s*\|/gm);
    const drawn = [...rows].map(([, room = '']) => room).filter((room) => room.split('/')[0] === tower);
    expect(drawn).toEqual(floors.toReversed());
  });
});

describe('the drawing in CONTRIBUTING.md', () => {
  const drawing = /^## The rooms$(.*?)^## /ms.exec(textOf('CONTRIBUTING.md'))?.[1] ?? '';
  const rooms = [...drawing.matchAll(/^ {4}([a-z/-]+) /gm)].map(([, room = '']) => room);

  it('has each folder of shared, from the ground up', () => {
    const folders = towers.shared.map((floor) => floor.split('/').slice(0, 2).join('/'));
    expect(rooms.filter((room) => room.startsWith('shared'))).toEqual([...new Set(folders)]);
  });

  it('has each tower', () => {
    expect(rooms).toEqual(expect.arrayContaining(Object.keys(towers).filter((tower) => tower !== 'shared')));
  });
});

describe('an import', () => {
  const parser = tseslint.parser as Linter.Parser;

  function problems(file: string, code: string): readonly string[] {
    const linter = new Linter({ cwd: projectDir });
    const plugins = { rooms: { rules: { 'no-import-upwards': noImportUpwards } } };
    const rules = { 'rooms/no-import-upwards': 'error' as const };
    const config = { files: ['**/*.ts'], plugins, rules, languageOptions: { parser } };
    return linter.verify(code, [config], path.join(projectDir, file)).map(({ message }) => message);
  }

  it.each([
    ['down', 'reconciler/worker/x.ts', "import { a } from '../queue/a';"],
    ['of its own folder', 'reconciler/worker/x.ts', "import { a } from './a';"],
    ['of shared', 'webhook/plugins/x.ts', "export { a } from '../../shared/domain/errors';"],
    ['of a library', 'shared/domain/x.ts', "import * as z from 'zod';"],
    ['up, by a test', 'reconciler/queue/x.test.ts', "import { a } from '../worker/a';"],
  ])('is accepted: %s', (_, file, code) => {
    expect(problems(file, code)).toEqual([]);
  });

  it.each([
    [
      'up',
      'reconciler/queue/x.ts',
      "import { a } from '../worker/a';",
      'reconciler/worker stands above reconciler/queue',
    ],
    ['up, passed on', 'reconciler/queue/x.ts', "export * from '../worker/a';", 'reconciler/worker stands above'],
    [
      'up, of a type',
      'reconciler/queue/x.ts',
      "import type { A } from '../worker/a';",
      'reconciler/worker stands above',
    ],
    ['up, in a type', 'reconciler/queue/x.ts', "let a: import('../worker/a').A;", 'reconciler/worker stands above'],
    ['up, when it runs', 'shared/domain/x.ts', "void import('../kube/a');", 'shared/kube stands above shared/domain'],
    ['of another tower', 'webhook/plugins/x.ts', "import '../../certs/a';", 'stand in different towers'],
    ['of another tower, by a test', 'webhook/x.test.ts', "import '../certs/a';", 'stand in different towers'],
    ['of a test', 'certs/x.ts', "import '../e2e/engine/harness';", 'e2e/engine is not a room of the product'],
    ['by a folder that is not drawn', 'reconciler/new/x.ts', "import '../queue/a';", 'reconciler/new is not drawn'],
  ])('is refused: %s', (_, file, code, why) => {
    expect(problems(file, code)).toEqual([expect.stringContaining(why)]);
  });

  it('goes down between two folders, or up, and never both', () => {
    const rooms = Object.values(towers).flat();
    for (const from of rooms) {
      for (const to of rooms.filter((room) => room !== from)) {
        expect([whyNot(from, to), whyNot(to, from)].filter((why) => why === undefined).length).toBeLessThan(2);
      }
    }
  });
});
