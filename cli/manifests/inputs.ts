import path from 'node:path';
import { errorMessage } from '../../shared/domain/errors';
import { objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import type { Files } from './files';
import { printable } from '../../shared/domain/text/printable';
import type { InputProblem } from './report-parts';

/** A file with manifests. */
export interface Input {
  /** The path as given, or below a given directory; `stdin` for standard input. */
  readonly file: string;
  readonly text: string;
}

/** The files that could be read, and problems with others. */
export interface Inputs {
  readonly inputs: readonly Input[];
  readonly problems: readonly InputProblem[];
}

/** Does some work on a file or directory. If that fails, the failure is a problem with it. */
type Attempt = (file: string, work: () => Promise<void>) => Promise<void>;

const manifestName = /\.(ya?ml|json)$/;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EISDIR: 'it is a directory',
  EACCES: 'there is no permission to read it',
};

/**
 * Reads files, directories with everything below them, and standard input (`-`). A file that is named twice is read
 * once.
 */
export async function readInputs(names: readonly string[], files: Files): Promise<Inputs> {
  const inputs = new Map<string, Input>();
  const problems: InputProblem[] = [];
  const add = async (file: string, read: () => Promise<Uint8Array>): Promise<void> => {
    const key = path.normalize(file);
    if (!inputs.has(key)) inputs.set(key, { file, text: decoded(await read()) });
  };
  const attempt: Attempt = async (file, work) => {
    try {
      await work();
    } catch (thrown) {
      problems.push({ file, message: `cannot be read: ${reasonOf(thrown)}` });
    }
  };
  for (const name of names) {
    if (name === '-') {
      await attempt('stdin', async () => await add('stdin', async () => await files.readStdin()));
      continue;
    }
    await attempt(name, async () => {
      if (!(await files.isDirectory(name))) {
        await add(name, async () => await files.read(name));
        return;
      }
      const before = problems.length;
      const below = await manifestsBelow(name, files, attempt);
      const isEmpty = below.length === 0 && problems.length === before;
      if (isEmpty) problems.push({ file: name, message: 'holds no file *.yaml, *.yml or *.json' });
      for (const file of below) await attempt(file, async () => await add(file, async () => await files.read(file)));
    });
  }
  return { inputs: [...inputs.values()], problems };
}

/** In the order of their names. Names that begin with a dot belong to tools: `.git`, `.github`. */
async function manifestsBelow(directory: string, files: Files, attempt: Attempt): Promise<readonly string[]> {
  const entries = (await files.entries(directory)).filter(({ name }) => !name.startsWith('.'));
  const found: string[] = [];
  for (const { name, isDirectory } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.join(directory, name);
    if (isDirectory) await attempt(file, async () => void found.push(...(await manifestsBelow(file, files, attempt))));
    else if (manifestName.test(name)) found.push(file);
  }
  return found;
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** Why a file cannot be read. */
export function reasonOf(thrown: unknown): string {
  const code = textOf(objectOf(thrown)['code']) ?? '';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'it is not text in UTF-8';
  // The message of the file system names the file, as whoever has written to the repository named it.
  return reasons[code] ?? printable(errorMessage(thrown));
}
