import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { PolicyRule } from '../apiserver/rbac';

export type Room = 'reconciler' | 'webhook' | 'certs';

/** The service account under which each room runs. */
export const accounts = { reconciler: 'reroll', webhook: 'reroll-webhook', certs: 'reroll-certs' } as const;

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly PolicyRule[];
}

/** The rights that the manifests in `deploy/` grant to a room. */
export function deployedRights(room: Room): readonly PolicyRule[] {
  const objects = ['rbac.yaml', 'webhook.yaml'].flatMap((file) =>
    parseAllDocuments(readFileSync(join(__dirname, '..', '..', 'deploy', file), 'utf8')).map(
      (document) => document.toJS() as Role,
    ),
  );
  return objects
    .filter(({ kind, metadata }) => /^(Cluster)?Role$/.test(kind) && metadata.name === accounts[room])
    .flatMap(({ metadata: { namespace }, rules }) =>
      rules.map((rule) => (namespace === undefined ? rule : { ...rule, namespaces: [namespace] })),
    );
}
