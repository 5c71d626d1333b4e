import type { StrategyName } from '../../shared/domain/workloads/workload';
import { markAnnotation } from './annotations';
import { markEnvVars } from './env-vars';
import type { Strategy } from './marker';
import { markRestartedAt } from './restarted-at';

export const strategies: Readonly<Record<StrategyName, Strategy>> = {
  'env-vars': markEnvVars,
  annotations: markAnnotation,
  'restarted-at': markRestartedAt,
};
