import { selfSigned, type TestCertificate } from '../../shared/runtime/tls/tls.fixture';
import type { TlsMaterial, TlsMaterialSource } from '../../shared/runtime/tls/tls-material';

/** The only DNS name in every test certificate. */
export const testServerName = 'kubernetes.default';

/** Two self-signed certificates: before and after a rotation. */
export const certificates = { old: selfSigned('old'), new: selfSigned('new') } as const;

export function material(certificate: TestCertificate, ca = certificate.cert): TlsMaterial {
  return { ...certificate, ca };
}

/** Material that the test can replace. */
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
    // The material is there from the start.
  }

  async stop(): Promise<void> {
    await Promise.resolve();
  }
}
