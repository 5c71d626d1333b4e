import { readFile } from 'node:fs/promises';
import type { Component } from '../../runtime/process/lifecycle';
import { TlsFileSource } from '../../runtime/tls/tls-file-source';
import type { TlsMaterialSource } from '../../runtime/tls/tls-material';
import type { ReflectorDeps } from '../list-watch/reflector';
import { TlsSecretSource, type TlsSecretSourceOptions } from './tls-secret-source';

/** TLS material from a directory if one is configured, else from the Secret that `reroll certs` keeps. */
export function tlsSource(
  deps: ReflectorDeps,
  { directory, ...secret }: TlsSecretSourceOptions & { readonly directory: string | undefined },
): TlsMaterialSource {
  if (directory === undefined) return new TlsSecretSource(deps, secret);
  const { clock, logger } = deps;
  return new TlsFileSource({ directory, readFile: async (path) => await readFile(path), clock, logger });
}

export function tlsComponent(sources: readonly Pick<TlsMaterialSource, 'start' | 'stop'>[]): Component {
  return {
    name: 'certificates',
    start: () => {
      for (const source of sources) source.start();
    },
    stop: async () => {
      await Promise.all(sources.map(async (source) => await source.stop()));
    },
  };
}
