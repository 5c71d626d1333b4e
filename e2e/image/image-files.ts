import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** The files of an image. */
export interface ImageFiles {
  /** Paths from the root of the image, folders and links included. */
  readonly paths: readonly string[];
  readonly bytes: number;
}

/** Lists all paths, and adds up the sizes of the files. */
export function imageFiles(rootDir: string): ImageFiles {
  const paths = readdirSync(rootDir, { recursive: true, encoding: 'utf8' }).map((name) => `/${name}`);
  const bytes = paths
    .map((name) => lstatSync(path.join(rootDir, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
  return { paths, bytes };
}
