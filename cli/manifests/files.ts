import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';

/** An entry of a directory. */
export interface FileEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** Reads files. Errors have Node's codes, such as `ENOENT`. */
export interface Files {
  isDirectory(path: string): Promise<boolean>;
  entries(directory: string): Promise<readonly FileEntry[]>;
  read(path: string): Promise<Uint8Array>;
  /** All of standard input. */
  readStdin(): Promise<Uint8Array>;
}

/** The files of this machine. A symbolic link to a directory is skipped: it could lead back up. */
export function machineFiles(stdin: NodeJS.ReadableStream): Files {
  return {
    isDirectory: async (file) => (await stat(file)).isDirectory(),
    read: async (file) => await readFile(file),
    readStdin: async () => await buffer(stdin),
    entries: async (directory) => {
      const all = await readdir(directory, { withFileTypes: true });
      const entries = await Promise.all(all.map(async (each) => await entryOf(directory, each)));
      return entries.filter((entry) => entry !== undefined);
    },
  };
}

async function entryOf(directory: string, entry: Dirent): Promise<FileEntry | undefined> {
  const { name } = entry;
  if (!entry.isSymbolicLink()) return { name, isDirectory: entry.isDirectory() };
  try {
    if ((await stat(path.join(directory, name))).isDirectory()) return undefined;
  } catch {
    // A broken link: reading it reports the error.
  }
  return { name, isDirectory: false };
}
