import { stringify } from 'yaml';
import { webhookConfiguration, type HookType } from './webhook-configuration';

export const hookTypes: readonly HookType[] = ['validating', 'mutating'];

/** Placeholders that the chart replaces with the names of the release. */
const service = { namespace: '@namespace@', name: '@service@' };

/** The webhooks of a configuration, generated for the chart so that the match conditions are defined and tested only here. */
export function chartHooksText(type: HookType): string {
  const { webhooks } = webhookConfiguration(type, service);
  return `# Generated: npm run release -- --generate\n${stringify({ webhooks }, { lineWidth: 0 })}`;
}
