import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { leafNames, leafProfile } from './certificate-names';

interface Certificate {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly dnsNames?: readonly string[]; readonly usages?: readonly string[] };
}

const certificates = parseAllDocuments(readFileSync('deploy/cert-manager.yaml', 'utf8'))
  .map((document) => document.toJS() as Certificate)
  .filter(({ kind }) => kind === 'Certificate');

it.each(leafNames)('cert-manager makes the certificate %s out to what `reroll certs` would', (leaf) => {
  const names = { namespace: 'reroll', webhookService: 'reroll-webhook', channelService: 'reroll-channel' };
  const { dnsNames, usage } = leafProfile(leaf, names);
  const certificate = certificates.find(({ metadata }) => metadata.name === `reroll-${leaf}`);
  expect(certificate?.spec.dnsNames).toEqual(dnsNames);
  expect(certificate?.spec.usages).toEqual([
    'digital signature',
    usage === 'serverAuth' ? 'server auth' : 'client auth',
  ]);
});
