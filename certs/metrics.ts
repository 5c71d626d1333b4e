import type { MetricRegistry } from '../shared/runtime/metric-registry';
import { leafNames } from './certificate-names';
import { keptSecretNames } from './kept-secret';

/** Parts that can fail, in the order of reporting. */
export const keptParts = ['secret', 'token', 'registration', 'published'] as const;

export type KeptPart = (typeof keptParts)[number];

/** The objects that are rotated. */
const rotated = ['ca', 'leaf'] as const;

/** Metrics of the token that identifies the API server to the webhook. */
export class TokenMetrics {
  readonly registered;
  readonly rotationsTotal;

  constructor(registry: MetricRegistry) {
    this.registered = registry.gauge(
      'reroll_webhook_token_registered',
      '1 while every registered webhook is called with a token that the webhook accepts.',
    );
    this.rotationsTotal = registry.counter(
      'reroll_webhook_token_rotations_total',
      'Tokens made by this process, the first one included.',
    );
  }
}

/** Metrics of the certificates, if Reroll manages them. */
export class CertificateMetrics {
  readonly notAfterSeconds;
  readonly generation;
  readonly rotationsTotal;
  readonly covered;

  constructor(registry: MetricRegistry) {
    this.notAfterSeconds = registry.gauge(
      'reroll_certificate_not_after_seconds',
      'When a certificate ends, in seconds since the epoch.',
      { certificate: ['ca', ...leafNames] },
    );
    this.generation = registry.gauge('reroll_certificate_generation', 'How many CAs there were, this one included.');
    this.rotationsTotal = registry.counter(
      'reroll_certificate_rotations_total',
      'Certificates made by this process, first ones included.',
      { what: [...rotated] },
    );
    this.covered = registry.gauge(
      'reroll_certificate_covered',
      '1 while every registered webhook has a caBundle that accepts the certificate of the webhook.',
    );
  }
}

/** All metrics of `reroll certs`. */
export class CertsMetrics {
  readonly errorsTotal;
  readonly secretMissing;
  readonly tokens: TokenMetrics;
  /** Undefined if others manage certificates: gauges at 0 would report problems that do not exist. */
  readonly certificates: CertificateMetrics | undefined;

  constructor(registry: MetricRegistry, kept: { readonly certificates: boolean }) {
    this.errorsTotal = registry.counter('reroll_certificate_errors_total', 'Failed attempts to keep a part.', {
      part: [...keptParts],
    });
    this.secretMissing = registry.gauge(
      'reroll_certificate_secret_missing',
      '1 while a Secret that is to be filled does not exist.',
      { secret: [...keptSecretNames] },
    );
    this.tokens = new TokenMetrics(registry);
    this.certificates = kept.certificates ? new CertificateMetrics(registry) : undefined;
    registry.registerBuildInfo();
  }
}
