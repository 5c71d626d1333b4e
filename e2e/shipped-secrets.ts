import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { ObjectInput } from './apiserver/objects';

/** The Secrets in the manifest that users apply. They have no data; `reroll certs` fills them. */
export function shippedSecrets(): readonly ObjectInput[] {
  const text = readFileSync(path.join(__dirname, '..', 'deploy', 'rbac.yaml'), 'utf8');
  return parseAllDocuments(text)
    .map((document) => document.toJS() as ObjectInput)
    .filter(({ kind }) => kind === 'Secret');
}
