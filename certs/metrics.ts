import type { MetricRegistry } from '../shared/runtime/metric-registry';
import { leafNames } from './certificate-names';

/** What of the certificates can fail to be kept. */
export const keptParts = ['secret', 'ca_bundle'] as const;

export type KeptPart = (typeof keptParts)[number];

/** What a rotation can replace. */
export const rotated = ['ca', 'leaf'] as const;

/** Metrics of the certificates, in the registry of whichever process keeps them. */
export class CertificateMetrics {
  readonly notAfterSeconds;
  readonly generation;
  readonly rotationsTotal;
  readonly covered;
  readonly errorsTotal;

  constructor(registry: MetricRegistry) {
    this.notAfterSeconds = registry.gauge(
      'reroll_certificate_not_after_seconds',
      'When a certificate ends, in seconds since the epoch.',
      { certificate: ['ca', ...leafNames] },
    );
    this.generation = registry.gauge(
      'reroll_certificate_generation',
      'How many CAs there were, this one included.',
      {},
    );
    this.rotationsTotal = registry.counter(
      'reroll_certificate_rotations_total',
      'Certificates made by this process, first ones included.',
      { what: [...rotated] },
    );
    this.covered = registry.gauge(
      'reroll_certificate_covered',
      '1 while every registered webhook has a caBundle that accepts the certificate of the webhook.',
      {},
    );
    this.errorsTotal = registry.counter('reroll_certificate_errors_total', 'Failed attempts to keep a part.', {
      part: [...keptParts],
    });
    registry.tellVersion();
  }
}
