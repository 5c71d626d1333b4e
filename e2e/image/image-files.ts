import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** What an image holds. */
export interface ImageFiles {
  /** From its root. */
  readonly paths: readonly string[];
  readonly bytes: number;
}

/** Lists files and links, and adds up the files' sizes. */
export function imageFiles(rootDir: string): ImageFiles {
  const paths = readdirSync(rootDir, { recursive: true, encoding: 'utf8' }).map((name) => `/${name}`);
  const bytes = paths
    .map((name) => lstatSync(path.join(rootDir, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
  return { paths, bytes };
}
