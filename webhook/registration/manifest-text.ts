import { stringify } from 'yaml';
import { webhookManifests } from './manifests';

const header = `# What the webhook needs besides its Deployment, for the namespace \`reroll\`. rbac.yaml creates that namespace and the
# Secrets that the webhook reads. Generated:
# npm run release -- --generate
`;

/** The text of `deploy/webhook.yaml`. */
export function manifestText(): string {
  const documents = webhookManifests('reroll').map((object) => stringify(object, { singleQuote: true, lineWidth: 0 }));
  return header + documents.join('---\n');
}
