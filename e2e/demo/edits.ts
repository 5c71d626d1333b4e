import type { Since } from './change-scene';
import type { Source } from './reasons';
import type { Stage } from './stage';

export const appConfig: Source = { kind: 'ConfigMap', name: 'app-config' };
export const agentConfig: Source = { kind: 'ConfigMap', name: 'agent-config' };
export const batchConfig: Source = { kind: 'ConfigMap', name: 'batch-config' };
export const credentials: Source = { kind: 'Secret', name: 'db-credentials' };

export const certificates: Source = { kind: 'Secret', name: 'api-tls' };

/** Changes a source as a person would. The timeline shows only the names of the keys, like everything in Reroll. */
export async function edit(
  stage: Stage,
  source: Source,
  values: Readonly<Record<string, string>>,
  remark = '',
): Promise<Since> {
  await stage.cluster.edit(source, values);
  const atMs = stage.clock.nowMs();
  const keys = Object.keys(values).join(', ');
  stage.timeline.row('edit', `${source.kind} ${source.name}: ${keys}${remark}`, { tone: 'warning', atMs });
  return { what: 'the change', atMs };
}
