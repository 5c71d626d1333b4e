import { X509Certificate } from 'node:crypto';
import type { Server } from 'node:https';
import { errorMessage } from '../../shared/domain/errors';
import type { CaSource } from '../../shared/runtime/tls/ca-file-source';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { TlsMaterial, TlsMaterialSource } from '../../shared/runtime/tls/tls-material';
import type { WebhookMetrics } from '../metrics';

export interface ServedCertificateOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly tls: Pick<TlsMaterialSource, 'current' | 'onChange'>;
  /** The CA of API servers' client certificates; undefined if none are required. */
  readonly clientCa?: Pick<CaSource, 'current' | 'onChange'> | undefined;
}

const where = 'see --certs-secret and --tls-dir';

/** Swaps the server's certificate, and the CA of client certificates if any, as soon as either changes. */
export class ServedCertificate {
  readonly #server: Pick<Server, 'setSecureContext'>;
  readonly #options: ServedCertificateOptions;
  /** Of the certificate in use. */
  #validity: { readonly fromMs: number; readonly untilMs: number } | undefined;

  constructor(server: Pick<Server, 'setSecureContext'>, options: ServedCertificateOptions) {
    this.#server = server;
    this.#options = options;
    options.tls.onChange(() => this.#use());
    options.clientCa?.onChange(() => this.#use());
    this.#use();
  }

  /** Why no API server can trust the certificate; undefined if it can. */
  get problem(): string | undefined {
    const { clientCa, clock } = this.#options;
    if (clientCa && clientCa.current() === undefined) {
      return 'there is no CA for the certificates of API servers yet: see --client-ca-file';
    }
    if (!this.#validity) return `there is none yet: ${where}`;
    const { fromMs, untilMs } = this.#validity;
    const nowMs = clock.nowMs();
    if (fromMs <= nowMs && nowMs < untilMs) return undefined;
    return `it is valid from ${new Date(fromMs).toISOString()} to ${new Date(untilMs).toISOString()} only: ${where}`;
  }

  #use(): void {
    const { clientCa, logger, metrics, tls } = this.#options;
    const material = tls.current();
    // Without its own CA, the server would accept client certificates from any CA that the system trusts.
    if (!material || (clientCa && clientCa.current() === undefined)) return;
    try {
      this.#server.setSecureContext(secureContext(material, clientCa?.current()));
      const { validFrom, validTo } = new X509Certificate(material.cert);
      this.#validity = { fromMs: Date.parse(validFrom), untilMs: Date.parse(validTo) };
      metrics.certificateNotAfterSeconds.set(this.#validity.untilMs / 1000);
      metrics.certificateSwapsTotal.inc({ result: 'applied' });
    } catch (thrown) {
      metrics.certificateSwapsTotal.inc({ result: 'refused' });
      logger.error('a new certificate cannot be used; the previous one stays in use', { error: errorMessage(thrown) });
    }
  }
}

/** Sets everything each time: `setSecureContext` resets a missing option to Node's default. */
function secureContext({ cert, key }: TlsMaterial, ca: string | undefined) {
  return { cert, key, minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) } as const;
}
