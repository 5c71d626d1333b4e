import type { X509Certificate } from 'node:crypto';
import { readBundle } from '../shared/runtime/tls/certificate-bundle';
import { allowsUsage, isValidForHost, isSignedBy, isValidAt, trustedCertificate } from './trusted-certificate';

/**
 * Why an API server with this caBundle would reject the leaf that a webhook serves as `host`; undefined if it would
 * accept it.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#service-reference
 */
export function coverageProblem(leafPem: string, caBundle: string, host: string, nowMs: number): string | undefined {
  const [leaf] = readBundle(leafPem);
  if (!leaf) return 'the served certificate is unreadable';
  if (!isValidAt(trustedCertificate(leaf), nowMs)) {
    return `the served certificate is valid from ${leaf.validFrom} to ${leaf.validTo} only`;
  }
  if (!isValidForHost(leaf, host)) return `the served certificate is not for ${host}`;
  if (!allowsUsage(leaf, 'serverAuth')) return 'the served certificate is not for servers';
  return issuerProblem(leaf, caBundle, nowMs);
}

function issuerProblem(leaf: X509Certificate, caBundle: string, nowMs: number): string | undefined {
  const authorities = readBundle(caBundle);
  if (authorities.length === 0) return 'the live caBundle holds no certificate';
  const issuers = authorities.filter((authority) => isSignedBy(leaf, authority));
  if (issuers.length === 0) return 'the live caBundle does not hold the CA of the served certificate';
  if (issuers.some((issuer) => isValidAt(trustedCertificate(issuer), nowMs))) return undefined;
  return 'the CA of the served certificate is in the live caBundle and not valid now';
}
