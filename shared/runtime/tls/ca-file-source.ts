import { X509Certificate } from 'node:crypto';
import { errorMessage } from '../../domain/errors';
import type { Clock } from '../clock';
import { fileLooks } from './file-looks';
import type { Logger } from '../log/logger';

/** Where a server gets the CAs for its callers' certificates, and how it learns about new ones. */
export interface CaSource {
  /** PEM; undefined until there is a usable bundle. A usable bundle is kept when an unusable one follows. */
  current(): string | undefined;
  /** Called after {@link current} has changed. */
  onChange(listener: () => void): void;
  start(): void;
  stop(): Promise<void>;
}

export interface CaFileSourceOptions {
  readonly path: string;
  readonly readFile: (path: string) => Promise<Buffer>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A bundle of CAs from a mounted file. */
export class CaFileSource implements CaSource {
  readonly #options: CaFileSourceOptions;
  readonly #logger: Logger;
  readonly #listeners: (() => void)[] = [];
  readonly #loop;
  #current: string | undefined;
  /** Reported once, not at each look. */
  #reported: string | undefined;

  constructor(options: CaFileSourceOptions) {
    this.#options = options;
    this.#logger = options.logger.child({ file: options.path });
    this.#loop = fileLooks(options.clock, async (signal) => await this.#look(signal));
  }

  current(): string | undefined {
    return this.#current;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { path, readFile } = this.#options;
    try {
      const bundle = (await readFile(path)).toString('utf8');
      if (!signal.aborted) this.#take(bundle);
    } catch (thrown) {
      if (!signal.aborted) this.#refuse(errorMessage(thrown));
    }
  }

  #take(bundle: string): void {
    if (bundle === this.#current) return;
    const problem = problemOf(bundle);
    if (problem !== undefined) {
      this.#refuse(problem);
      return;
    }
    this.#reported = undefined;
    this.#current = bundle;
    this.#logger.info('CAs for the certificates of callers loaded');
    for (const listener of this.#listeners) listener();
  }

  #refuse(problem: string): void {
    if (this.#reported === problem) return;
    this.#reported = problem;
    const consequence = this.#current === undefined ? 'no connection is accepted' : 'those in use stay';
    this.#logger.warn(`CAs for the certificates of callers not loaded, ${consequence}`, { problem });
  }
}

/**
 * Why a server must not use the bundle. TLS would replace an empty bundle by the system's CAs, and would silently use
 * the readable part of a truncated one.
 */
function problemOf(bundle: string): string | undefined {
  const certificates = bundle.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) return 'the bundle holds no certificate';
  return certificates.every(isCertificate) ? undefined : 'the bundle is truncated';
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
