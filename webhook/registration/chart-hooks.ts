import { stringify } from 'yaml';
import { webhookConfiguration, type HookType } from './webhook-configuration';

export const hookTypes: readonly HookType[] = ['validating', 'mutating'];

/** What the chart puts into their place: it knows the names of the release, and this knows the conditions. */
const service = { namespace: '@namespace@', name: '@service@' };

/** The webhooks of a registration for the chart, which is generated: the conditions stand in one place, and are tested there. */
export function chartHooksText(type: HookType): string {
  const { webhooks } = webhookConfiguration(type, service);
  return `# Generated: npm run release -- --generate\n${stringify({ webhooks }, { lineWidth: 0 })}`;
}
