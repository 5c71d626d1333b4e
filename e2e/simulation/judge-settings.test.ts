import { describe, expect, it } from '@jest/globals';
import { cronJob, deployment, fromConfigMap, job, seed } from '../apiserver/cluster';
import { writeBy } from '../apiserver/registry';
import { adopted, type Hand } from './history.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };

/** `web` has this annotation from its creation on. */
async function asking(annotation: string, value: string, others = {}): Promise<Hand> {
  return await adopted(async ({ server }) => {
    const options = { propagationPolicy: 'Background' } as const;
    const context = writeBy('dev', 'dev', 'delete');
    await server.registry.delete(context, server.kindOf('Deployment'), 'default', 'web', options);
    const annotations = { ...auto, ...others, [annotation]: value };
    seed(server, deployment({ name: 'web', annotations, envFrom: [fromConfigMap('app')] }));
  });
}

describe('the judge, for the settings of a workload', () => {
  it.each([
    ['restarted-at', []],
    ['annotations', ['foreign write']],
    ['env-vars', ['foreign write']],
  ])('expects a restart with strategy %s if the workload requests it', async (strategy, promises) => {
    const hand = await asking('reroll.dev/strategy', strategy);
    await hand.edit('value-2-');
    // This engine sets kubectl.kubernetes.io/restartedAt.
    await hand.engine('value-2-', true);
    expect(hand.promises()).toEqual(promises);
  });

  it('does not judge the strategy of a workload whose strategy annotation has changed', async () => {
    const hand = await asking('reroll.dev/strategy', 'annotations');
    await hand.annotate('reroll.dev/strategy', 'restarted-at');
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    expect(hand.promises()).toEqual([]);
  });

  it.each([
    ['200ms', 300, []],
    ['3s', 2_900, ['not exactly once']],
    ['3s', 3_100, []],
  ])('expects a restart only after the settle window of %s: here after %i ms', async (settle, thenMs, promises) => {
    const hand = await asking('reroll.dev/settle', settle);
    await hand.edit('value-2-', thenMs);
    await hand.engine('value-2-', true);
    expect(hand.promises(true)).toEqual(promises);
  });

  it.each([
    // A second change, 900 ms after the first, delays the restart, but not past the longest wait.
    ['10s', 500, ['not exactly once']],
    ['1s', 500, []],
  ])(
    'expects a restart when settle-max of %s is over: here %i ms after the last change',
    async (max, thenMs, promises) => {
      const hand = await asking('reroll.dev/settle-max', max);
      await hand.edit('value-2-', 900);
      await hand.edit('value-3-', thenMs);
      await hand.engine('value-3-', true);
      expect(hand.promises(true)).toEqual(promises);
    },
  );

  it('expects two restarts if a change comes after settle-max', async () => {
    const hand = await asking('reroll.dev/settle', '3s', { 'reroll.dev/settle-max': '500ms' });
    await hand.edit('value-2-', 1_600);
    await hand.edit('value-3-', 600);
    await hand.engine('value-3-', true);
    expect(hand.promises(true)).toEqual(['not exactly once']);
  });

  it.each([
    ['reports the recreation of a Job with policy next-run', 'next-run', ['restart without reason']],
    ['reports the recreation of a Job with policy never', 'never', ['restart without reason']],
    ['accepts the recreation of a Job with policy run-now', 'run-now', []],
  ])('%s', async (_what, policy, promises) => {
    const hand = await adopted();
    const annotations = { ...auto, 'reroll.dev/job-policy': policy };
    seed(hand.server, job({ name: 'migrate', annotations, envFrom: [fromConfigMap('app')] }));
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.createAnew('value-2-');
    expect(hand.promises()).toEqual(promises);
  });

  it.each([
    ['reports a baseline on a CronJob with policy never', 'never', ['foreign write']],
    ['accepts a baseline on a CronJob with policy next-run', 'next-run', []],
  ])('%s', async (_what, policy, promises) => {
    const annotations = { ...auto, 'reroll.dev/cronjob-policy': policy };
    const hand = await adopted(({ server }) => {
      seed(server, cronJob({ name: 'report', annotations, envFrom: [fromConfigMap('app')] }));
      return Promise.resolve();
    });
    await hand.recordOnCronJob('value-1-');
    expect(hand.promises()).toEqual(promises);
  });

  it('demands no baseline on a Job with policy never', async () => {
    const hand = await adopted();
    const annotations = { ...auto, 'reroll.dev/job-policy': 'never' };
    seed(hand.server, job({ name: 'migrate', annotations, envFrom: [fromConfigMap('app')] }));
    expect(hand.promises()).toEqual([]);
  });
});
