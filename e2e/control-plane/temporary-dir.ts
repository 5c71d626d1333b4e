import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A temporary folder for one test; `dispose` removes it. */
export interface TemporaryDir {
  readonly dir: string;
  dispose(): void;
}

/** Creates a temporary folder. */
export function createTemporaryDir(): TemporaryDir {
  const dir = mkdtempSync(path.join(tmpdir(), 'reroll-test-'));
  return { dir, dispose: () => rmSync(dir, { recursive: true, force: true }) };
}
