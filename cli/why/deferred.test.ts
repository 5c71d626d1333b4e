import { expect, it } from '@jest/globals';
import type { ToldDeferral } from '../../shared/domain/protocol/deferral';
import { whyDeferred } from './deferred';

const stopped = 'restarts for ConfigMap app are stopped: Deployment canary is not healthy since it restarted at noon';

it.each<[ToldDeferral, string]>([
  [{ gate: 'hold', detail: 'reroll.dev/hold on the workload' }, 'held by reroll.dev/hold on the workload'],
  [{ gate: 'stages', detail: stopped }, stopped],
  [{ gate: 'pace', detail: '--max-rolling: 1' }, 'it restarts in its turn (--max-rolling: 1)'],
])('%j', (deferral, text) => {
  expect(whyDeferred(deferral, 0)).toBe(text);
});
