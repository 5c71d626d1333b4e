import type { ChartCase } from '../chart-case';
import { reconcilerCases } from './reconciler';
import { releaseCases } from './release';
import { webhookCases } from './webhook';

export const chartCases: readonly ChartCase[] = [...reconcilerCases, ...webhookCases, ...releaseCases];
