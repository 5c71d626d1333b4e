import { errorMessage } from '../../domain/errors';
import type { Clock } from '../../runtime/clock';
import { KubeError } from '../errors';

/** The credentials of a request, besides TLS. */
export interface Credentials {
  /** Headers to add to a request. @throws CredentialsError */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Called after a 401: drops the cached credentials and obtains new ones. @throws CredentialsError */
  refresh(): Promise<void>;
}

/** Credentials cannot be obtained: a file is missing, or a plugin failed. */
export class CredentialsError extends KubeError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'KUBE_CREDENTIALS', cause });
  }
}

/** Credentials whose headers never change. */
export function staticCredentials(headers: Readonly<Record<string, string>>): Credentials {
  return { headers: async () => await Promise.resolve(headers), refresh: async () => await Promise.resolve() };
}

/** Tokens are rotated in place, well before they expire: a token that is a minute old is still valid. */
const maxAgeMs = 60_000;

/**
 * Credentials that are obtained at first use, again when they are older than a minute, and on {@link refresh}.
 * Concurrent requests wait for the same attempt, so that an expired credential does not start a hundred plugins.
 */
export class RenewedCredentials implements Credentials {
  readonly #clock: Clock;
  readonly #obtain: (reason: 'aged' | 'refused') => Promise<Readonly<Record<string, string>>>;
  #current: { readonly headers: Readonly<Record<string, string>>; readonly obtainedMs: number } | undefined;
  #pending: Promise<Readonly<Record<string, string>>> | undefined;

  /** `obtain` receives `refused` if the server rejected the last credentials: it must not return those again. */
  constructor(clock: Clock, obtain: (reason: 'aged' | 'refused') => Promise<Readonly<Record<string, string>>>) {
    this.#clock = clock;
    this.#obtain = obtain;
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    const current = this.#current;
    if (current && this.#clock.monotonicMs() - current.obtainedMs < maxAgeMs) return current.headers;
    try {
      return await this.#renew('aged');
    } catch (thrown) {
      if (!current) throw thrown;
      // As in client-go. They are probably valid for long: a file that cannot be read for a moment must not cost the Lease.
      return current.headers;
    }
  }

  async refresh(): Promise<void> {
    await this.#renew('refused');
  }

  async #renew(reason: 'aged' | 'refused'): Promise<Readonly<Record<string, string>>> {
    this.#pending ??= this.#obtainAndKeep(reason).finally(() => {
      this.#pending = undefined;
    });
    return await this.#pending;
  }

  async #obtainAndKeep(reason: 'aged' | 'refused'): Promise<Readonly<Record<string, string>>> {
    const headers = await this.#obtain(reason);
    this.#current = { headers, obtainedMs: this.#clock.monotonicMs() };
    return headers;
  }
}

/** Reads a service account's token from its file. The kubelet replaces the file long before the token expires. */
export function tokenFileCredentials(
  path: string,
  readFile: (path: string) => Promise<Buffer>,
  clock: Clock,
): Credentials {
  return new RenewedCredentials(clock, async () => {
    let token: string;
    try {
      token = (await readFile(path)).toString('utf8').trim();
    } catch (thrown) {
      throw new CredentialsError(
        `cannot read the service account token ${path}: ${errorMessage(thrown)}; is automountServiceAccountToken off?`,
        thrown,
      );
    }
    if (token === '') throw new CredentialsError(`the service account token ${path} is empty`);
    return { authorization: `Bearer ${token}` };
  });
}
