import perfHooks from 'node:perf_hooks';
import { describe, expect, jest, test } from '@jest/globals';
import { MetricRegistry } from './metric-registry';

describe('series', () => {
  test('returns one metric as in the exposition, refreshed before the read', async () => {
    const registry = new MetricRegistry();
    const depth = registry.gauge('depth', 'Keys in the queue.', {});
    const changes = registry.counter('changes_total', 'Changes.', { path: ['watch', 'webhook'] });
    registry.onScrape(() => depth.set(7));
    changes.inc({ path: 'watch' }, 2);

    expect(await registry.series('depth')).toEqual([{ labels: {}, value: 7 }]);
    expect(await registry.series('changes_total')).toEqual([
      { labels: { path: 'watch' }, value: 2 },
      { labels: { path: 'webhook' }, value: 0 },
    ]);
    expect(await registry.text()).toContain('changes_total{path="watch"} 2');
  });

  test('is empty for an unknown metric', async () => {
    expect(await new MetricRegistry().series('depth')).toEqual([]);
  });
});

test('wakes an idle process at most twice a second to measure its event loop', () => {
  const monitor = jest.spyOn(perfHooks, 'monitorEventLoopDelay');
  new MetricRegistry().collectProcessMetrics();
  expect(monitor.mock.calls).toEqual([[{ resolution: 500 }]]);
  monitor.mockRestore();
});
