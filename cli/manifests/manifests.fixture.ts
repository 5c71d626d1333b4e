import { stringify } from 'yaml';
import { runCli, type LoadedCommand } from '../../shared/runtime/options/cli';
import type { Environment } from '../../shared/runtime/options/options';
import type { Files } from './files';
import type { ManifestWorld } from './manifest-command';

/** Files in memory, by their paths. Reading an `undefined` text fails with `EACCES`. */
export function memoryFiles(texts: Readonly<Record<string, string | Uint8Array | undefined>>): Files {
  const failure = (code: string): Error => Object.assign(new Error(`${code}: failed`), { code });
  const read = (path: string): Uint8Array => {
    if (!Object.hasOwn(texts, path)) throw failure('ENOENT');
    const text = texts[path];
    if (text === undefined) throw failure('EACCES');
    return typeof text === 'string' ? Buffer.from(text) : text;
  };
  const below = (directory: string) =>
    Object.keys(texts).flatMap((path) => (path.startsWith(`${directory}/`) ? [path.slice(directory.length + 1)] : []));
  return {
    isDirectory: async (path) => {
      if (!Object.hasOwn(texts, path) && below(path).length === 0) throw failure('ENOENT');
      return await Promise.resolve(!Object.hasOwn(texts, path));
    },
    entries: async (directory) => {
      const names = [...new Set(below(directory).map((path) => path.split('/')[0] ?? ''))];
      return await Promise.resolve(
        names.map((name) => ({ name, isDirectory: !Object.hasOwn(texts, `${directory}/${name}`) })),
      );
    },
    read: async (path) => await Promise.resolve(read(path)),
    readStdin: async () => await Promise.resolve(read('-')),
  };
}

type Texts = Readonly<Record<string, string>>;

/** A manifest with these annotations that uses the ConfigMap `app`. */
export function workload(
  annotations: Texts,
  more: { readonly kind?: string; readonly name?: string; readonly namespace?: string } = {},
): string {
  const { kind = 'Deployment', name = 'web', namespace } = more;
  const apiVersion = { Job: 'batch/v1', Rollout: 'argoproj.io/v1alpha1' }[kind] ?? 'apps/v1';
  const metadata = { name, ...(namespace !== undefined && { namespace }), annotations };
  const containers = [{ name: 'main', envFrom: [{ configMapRef: { name: 'app' } }] }];
  return `${stringify({ apiVersion, kind, metadata, spec: { template: { spec: { containers } } } })}---\n`;
}

/** The manifest of a ConfigMap. */
export function configMap(name: string, annotations: Texts, namespace?: string): string {
  const metadata = { name, ...(namespace !== undefined && { namespace }), annotations };
  return `${stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata })}---\n`;
}

/** The part of the world that a test sets. */
export interface TestWorld {
  readonly env?: Environment;
  readonly isTerminal?: boolean;
}

/** Runs a command with these files; `-` is standard input. */
export async function runManifestCommand(
  { name, summary, loadIn }: { name: string; summary: string; loadIn: (world: ManifestWorld) => LoadedCommand },
  args: readonly string[],
  files: Files,
  { env = {}, isTerminal = false }: TestWorld = {},
) {
  const [out, err]: [string[], string[]] = [[], []];
  const io = { columns: 80, out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
  const load = async () => await Promise.resolve(loadIn({ io, files, isTerminal }));
  const code = await runCli([name, ...args], env, io, [{ name, summary, load }]);
  return { code, out: out.join(''), err: err.join('') };
}
