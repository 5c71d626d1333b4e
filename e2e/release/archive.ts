import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of an archive. */
export interface ArchivedFile {
  /** Relative, with slashes. */
  readonly name: string;
  readonly content: Buffer;
  readonly isExecutable?: boolean;
}

const blockBytes = 512;

/**
 * A gzipped tar (POSIX ustar) of files. The same files give the same bytes, whenever, wherever and by whom it is made:
 * names are sorted, and there are no times, users or systems in it.
 */
export function archiveOf(files: readonly ArchivedFile[]): Buffer {
  const sorted = files.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const blocks = sorted.flatMap((file) => [headerOf(file), file.content, padding(file.content.length)]);
  const archive = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]), { level: 9 });
  // The operating system (RFC 1952, section 2.3): unknown.
  archive[9] = 255;
  return archive;
}

function headerOf({ name, content, isExecutable = false }: ArchivedFile): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long a name for an archive`);
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0);
  header.write(octal(isExecutable ? 0o755 : 0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(content.length, 11), 124);
  header.write(octal(0, 11), 136);
  // The checksum is computed as if it were spaces itself.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function padding(length: number): Buffer {
  return Buffer.alloc((blockBytes - (length % blockBytes)) % blockBytes);
}

/** What is installed of a release outside of a cluster: the bundle that was built last, and the licences. */
export function bundledFiles(root: string): readonly ArchivedFile[] {
  const read = (file: string): Buffer => readFileSync(path.join(root, file));
  const parts = readdirSync(path.join(root, 'dist/parts')).filter((file) => file.endsWith('.mjs'));
  return [
    { name: 'reroll.mjs', content: read('dist/reroll.mjs'), isExecutable: true },
    ...parts.map((file) => ({ name: `parts/${file}`, content: read(`dist/parts/${file}`) })),
    { name: 'LICENSE', content: read('LICENSE') },
    { name: 'third-party-licences.txt', content: read('deploy/third-party-licences.txt') },
  ];
}
