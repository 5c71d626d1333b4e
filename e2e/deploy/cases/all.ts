import type { ChartCase } from '../chart-case';
import { networkPolicyCases } from './network-policies';
import { reconcilerCases } from './reconciler';
import { releaseCases } from './release';
import { traceCases } from './traces';
import { watchedNamespaceCases } from './watched-namespaces';
import { webhookCases } from './webhook';

export const chartCases: readonly ChartCase[] = [
  ...reconcilerCases,
  ...watchedNamespaceCases,
  ...webhookCases,
  ...releaseCases,
  ...networkPolicyCases,
  ...traceCases,
];
