import { X509Certificate, createPrivateKey } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../log/logger';
import type { TlsMaterial } from './tls-material';

/** Holds the material in use, and accepts new material only if a server could start with it. */
export class TlsMaterialSlot {
  readonly #logger: Logger;
  readonly #listeners: (() => void)[] = [];
  #current: TlsMaterial | undefined;
  /** Reported once, not at each look. */
  #reported: string | undefined;

  /** `logger` names the origin of the material. */
  constructor(logger: Logger) {
    this.#logger = logger;
  }

  current(): TlsMaterial | undefined {
    return this.#current;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  offer(material: TlsMaterial): void {
    const problem = problemOf(material);
    if (problem !== undefined) {
      this.refuse(problem);
      return;
    }
    this.#reported = undefined;
    if (this.#current && isSame(this.#current, material)) return;
    const first = this.#current === undefined;
    this.#current = material;
    this.#logger.info(first ? 'certificate loaded' : 'new certificate in use', {
      notAfter: new X509Certificate(material.cert).validTo,
    });
    for (const listener of this.#listeners) listener();
  }

  /** There is no new usable material, because of `problem`. */
  refuse(problem: string): void {
    if (this.#reported === problem) return;
    this.#reported = problem;
    const consequence = this.#current ? 'the one in use stays' : 'there is none yet';
    this.#logger.warn(`certificate not loaded, ${consequence}`, { problem });
  }
}

/**
 * Why no TLS server or client could use it. Files and keys are written one after the other, so they may not fit
 * together.
 */
function problemOf({ cert, key, ca }: TlsMaterial): string | undefined {
  try {
    new X509Certificate(ca);
  } catch {
    return 'the CA bundle holds no certificate';
  }
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
  } catch {
    return 'the certificate is unreadable';
  }
  try {
    if (!certificate.checkPrivateKey(createPrivateKey(key)))
      return 'the private key does not belong to the certificate';
  } catch {
    return 'the private key is unreadable';
  }
  try {
    // All of it: after a valid first certificate, the rest of a chain or of a bundle may be truncated.
    createSecureContext({ cert, key, ca });
    return undefined;
  } catch {
    return 'the chain after the certificate, or the CA bundle, is truncated';
  }
}

function isSame(left: TlsMaterial, right: TlsMaterial): boolean {
  return left.cert === right.cert && left.key === right.key && left.ca === right.ca;
}
