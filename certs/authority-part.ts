import type { KubeClient } from '../shared/kube/client/client';
import type { KubeObject, RequestLimits } from '../shared/kube/client/objects';
import type { Clock } from '../shared/runtime/clock';
import type { Logger } from '../shared/runtime/log/logger';
import type { Random } from '../shared/runtime/random';
import { applyStep, type CertificateLifetimes } from './apply-step';
import type { CertificateNames, LeafName } from './certificate-names';
import type { KeyPairs } from './certificate';
import { authoritySecretName, readSecret, writeSecret } from './kept-secret';
import type { Material } from './material';
import type { CertificateMetrics } from './metrics';
import { initialMaterial, decodePublished } from './published-data';
import { nextStep, type LiveState } from './rotation';
import { decodeMaterial, encodeMaterial, nothingStored, type StoredMaterial } from './secret-data';
import { fingerprintsOf } from './trusted-certificate';

export interface AuthorityPartDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: CertificateMetrics;
  readonly keyPairs: KeyPairs;
}

/** Read before the Secret of the CA. An undefined field could not be read. */
export interface ReadBefore {
  /** One for each of Reroll's webhooks. */
  readonly caBundles: readonly string[] | undefined;
  readonly published: KubeObject | undefined;
}

export interface KeptMaterial {
  readonly material: Material;
  /** Something was written, so there may be more to do. */
  readonly changed: boolean;
}

/** Keeps the Secret of the CA, which determines everything else about certificates. */
export class AuthorityPart {
  readonly #deps: AuthorityPartDeps;
  readonly #names: CertificateNames;
  readonly #lifetimes: CertificateLifetimes;

  constructor(deps: AuthorityPartDeps, names: CertificateNames, lifetimes: CertificateLifetimes) {
    this.#deps = deps;
    this.#names = names;
    this.#lifetimes = lifetimes;
  }

  /** Takes one step of the rotation. @throws MissingSecretError, ConflictError and the other KubeErrors */
  async keep({ caBundles, published }: ReadBefore, limits: RequestLimits): Promise<KeptMaterial> {
    const { client, clock, keyPairs, random } = this.#deps;
    const secret = await readSecret(client, this.#names.namespace, authoritySecretName, limits);
    const stored = this.#stored(secret, published);
    const step = nextStep(stored, liveOf(caBundles, published), clock.nowMs());
    if (step.do === 'nothing' || step.do === 'wait') return { material: step.material, changed: false };
    const issuer = { keyPairs, random, names: this.#names, lifetimes: this.#lifetimes, nowMs: clock.nowMs() };
    const material = await applyStep(step, stored, issuer);
    await writeSecret(client, secret, encodeMaterial(material, secret['data']), limits);
    this.#tell(step, stored, material);
    return { material, changed: true };
  }

  #stored(secret: KubeObject, published: KubeObject | undefined): StoredMaterial {
    const stored = decodeMaterial(secret['data'], this.#names);
    return stored === nothingStored ? initialMaterial(published?.['data'], this.#names) : stored;
  }

  #tell(step: { readonly do: string; readonly because: string }, stored: StoredMaterial, material: Material): void {
    const { logger, metrics } = this.#deps;
    const renewed = Object.entries(material.leaves).filter(
      ([leaf, { fingerprint }]) => stored.leaves[leaf as LeafName]?.fingerprint !== fingerprint,
    );
    if (step.do === 'create' || step.do === 'begin-overlap') metrics.rotationsTotal.inc({ what: 'ca' });
    metrics.rotationsTotal.inc({ what: 'leaf' }, renewed.length);
    logger.info('certificates written', {
      step: step.do,
      because: step.because,
      problems: stored.problems,
      generation: material.generation,
      renewed: renewed.map(([leaf]) => leaf),
    });
  }
}

function liveOf(caBundles: readonly string[] | undefined, published: KubeObject | undefined): LiveState | undefined {
  if (!caBundles || !published) return undefined;
  const { bundle, leaves } = decodePublished(published['data']);
  return { bundles: [...caBundles.map(fingerprintsOf), bundle], leaves };
}
