import type { ChartCase } from '../chart-case';
import { reconcilerCases } from './reconciler';
import { releaseCases } from './release';
import { traceCases } from './traces';
import { webhookCases } from './webhook';

export const chartCases: readonly ChartCase[] = [...reconcilerCases, ...webhookCases, ...releaseCases, ...traceCases];
