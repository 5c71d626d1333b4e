import { selfSigned, type TestCertificate } from '../../shared/runtime/tls/tls.fixture';
import type { TlsMaterial, TlsMaterialSource } from '../../shared/runtime/tls/tls-material';

/** The one DNS name of every test certificate. */
export const testServerName = 'kubernetes.default';

/** Two certificates that sign themselves: before and after a rotation. */
export const certificates = { old: selfSigned('old'), new: selfSigned('new') } as const;

export function material(certificate: TestCertificate, ca = certificate.cert): TlsMaterial {
  return { ...certificate, ca };
}

/** Material that the test changes. */
export class FakeTlsSource implements TlsMaterialSource {
  readonly #listeners: (() => void)[] = [];
  #current: TlsMaterial | undefined;

  constructor(current?: TlsMaterial) {
    this.#current = current;
  }

  current(): TlsMaterial | undefined {
    return this.#current;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  change(to: TlsMaterial): void {
    this.#current = to;
    for (const listener of this.#listeners) listener();
  }

  start(): void {
    // It has what it has.
  }

  async stop(): Promise<void> {
    await Promise.resolve();
  }
}
