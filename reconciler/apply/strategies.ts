import type { StrategyName } from '../../shared/domain/workloads/workload-settings';
import { lastReloadedFrom, restartedAt } from '../../shared/domain/annotations/annotations';
import type { TemplateMarker } from '../../shared/domain/marks/workload-marks';
import { absent } from '../../shared/domain/sources/content-digest';
import { sourceKindNames } from '../../shared/domain/sources/source';
import { envVarName } from '../../shared/domain/sources/marker-name';
import type { Verdict } from '../../shared/domain/plan/verdict';

export interface MarkInput {
  readonly namespace: string;
  /** The sources whose changes the restart answers: one or more. */
  readonly changes: readonly Verdict[];
  /** Unique for each restart: content that returns to an earlier state must still change the template. */
  readonly restartId: string;
  readonly nowMs: number;
}

/** A way to write a restart into a pod template. */
type Strategy = (input: MarkInput) => TemplateMarker;

/**
 * Reloader's default: for each changed source a variable `STAKATER_<NAME>_<TYPE>` in the one container that uses it.
 * Sources whose names differ only in punctuation share a variable. One value for both still changes the template.
 */
function markEnvVars({ changes, restartId }: MarkInput): TemplateMarker {
  const env = new Map<string, TemplateMarker['env'][number]>();
  for (const { kind, name, container, whole } of changes) {
    if (container === undefined) continue;
    const variable = envVarName(kind, name);
    env.set(`${container}/${variable}`, { container, name: variable, value: `${whole ?? absent}.${restartId}` });
  }
  return { annotations: {}, env: [...env.values()] };
}

/**
 * Reloader's `last-reloaded-from` on the pod template: its keys in Reloader's order, then ours. Of several sources it
 * names the last, as Reloader does.
 */
function markAnnotation({ namespace, changes, restartId, nowMs }: MarkInput): TemplateMarker {
  const change = changes.at(-1);
  if (!change) return { annotations: {}, env: [] };
  const value = {
    type: sourceKindNames[change.kind].token,
    name: change.name,
    namespace,
    hash: change.whole ?? absent,
    containerRefs: change.container === undefined ? [] : [change.container],
    observedAt: Math.floor(nowMs / 1000),
    id: restartId,
  };
  return { annotations: { [lastReloadedFrom]: JSON.stringify(value) }, env: [] };
}

/** The annotation that `kubectl rollout restart` writes. Operators that control their pod templates tolerate it. */
function markRestartedAt({ nowMs }: MarkInput): TemplateMarker {
  return { annotations: { [restartedAt]: new Date(nowMs).toISOString() }, env: [] };
}

export const strategies: Readonly<Record<StrategyName, Strategy>> = {
  'env-vars': markEnvVars,
  annotations: markAnnotation,
  'restarted-at': markRestartedAt,
};
