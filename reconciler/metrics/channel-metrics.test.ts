import { beforeEach, describe, expect, it } from '@jest/globals';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { ChannelMetrics } from './channel-metrics';

let registry: MetricRegistry;
let metrics: ChannelMetrics;

beforeEach(() => {
  registry = new MetricRegistry();
  metrics = new ChannelMetrics(registry);
});

async function lines(): Promise<readonly string[]> {
  return (await registry.text()).split('\n');
}

describe('ChannelMetrics', () => {
  it.each([
    'reroll_hints_total{result="confirmed"} 0',
    'reroll_hints_total{result="phantom"} 0',
    'reroll_hints_total{result="foreign_key"} 0',
    'reroll_changes_total{path="webhook"} 0',
    'reroll_changes_total{path="watch"} 0',
    'reroll_changes_total{path="both"} 0',
    'reroll_change_latency_seconds_bucket{le="60",path="both"} 0',
    'reroll_hints_pending 0',
    'reroll_hint_confirmation_seconds_bucket{le="0.3"} 0',
    'reroll_channel_requests_total{code="202"} 0',
    'reroll_channel_requests_total{code="429"} 0',
  ])('shows %s from the start', async (line) => {
    expect(await lines()).toContain(line);
  });

  it.each([
    [{ path: 'webhook' }, 'webhook'],
    [{ path: 'both' }, 'both'],
    [undefined, 'watch'],
  ] as const)('counts a change with attribution %j as %s', async (attribution, path) => {
    metrics.changed(attribution);
    expect(await lines()).toContain(`reroll_changes_total{path="${path}"} 1`);
  });

  it('measures a restart once for each way in which its changes were noticed', async () => {
    metrics.restarted([{ path: 'both' }, undefined, { path: 'both' }], 2);
    const sums = (await lines()).filter((line) => line.startsWith('reroll_change_latency_seconds_sum'));
    expect(sums.map((line) => line.replace(/^\w+/, ''))).toEqual([
      '{path="webhook"} 0',
      '{path="watch"} 2',
      '{path="both"} 2',
    ]);
  });
});
