import { stringify } from 'yaml';
import { webhookManifests } from './manifests';

const header = `# What the webhook needs beside its Deployment, for the namespace \`reroll\` of rbac.yaml, which has the
# Secrets that it reads. Generated:
# npm run release -- --generate
`;

/** The text of `deploy/webhook.yaml`. */
export function manifestText(): string {
  const documents = webhookManifests('reroll').map((object) => stringify(object, { singleQuote: true, lineWidth: 0 }));
  return header + documents.join('---\n');
}
