import type { Alert } from './alert';

/** A restart of the Deployment `name` for a change of a ConfigMap. */
export function alertOf(name = 'web', alert: Partial<Alert> = {}): Alert {
  return {
    sources: [{ kind: 'ConfigMap', name: 'app' }],
    workload: { kind: 'Deployment', namespace: 'shop', name },
    detail: 'ConfigMap app: content changed (keys: color). Deployment restarted (env-vars, c0ffee00)',
    ...alert,
  };
}
