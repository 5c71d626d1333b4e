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

describe('the judge of what workloads ask for themselves', () => {
  it.each([
    ['restarted-at', []],
    ['annotations', ['foreign write']],
    ['env-vars', ['foreign write']],
  ])('expects a restart by %s where that is asked for', async (strategy, promises) => {
    const hand = await asking('reroll.dev/strategy', strategy);
    await hand.edit('value-2-');
    // This engine sets kubectl.kubernetes.io/restartedAt.
    await hand.engine('value-2-', true);
    expect(hand.promises()).toEqual(promises);
  });

  it('judges no strategy of who has changed its mind', async () => {
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
  ])(
    'expects a restart no sooner than its settle window of %s is over: after %i ms',
    async (settle, thenMs, promises) => {
      const hand = await asking('reroll.dev/settle', settle);
      await hand.edit('value-2-', thenMs);
      await hand.engine('value-2-', true);
      expect(hand.promises(true)).toEqual(promises);
    },
  );

  it.each([
    // A second change, 900 ms after the first, delays the restart, but not past the longest wait.
    ['10s', 500, ['not exactly once']],
    ['1s', 500, []],
  ])(
    'expects a restart when its longest wait of %s is over: %i ms after the last change',
    async (max, thenMs, promises) => {
      const hand = await asking('reroll.dev/settle-max', max);
      await hand.edit('value-2-', 900);
      await hand.edit('value-3-', thenMs);
      await hand.engine('value-3-', true);
      expect(hand.promises(true)).toEqual(promises);
    },
  );

  it('expects two restarts where a change comes after the longest wait', async () => {
    const hand = await asking('reroll.dev/settle', '3s', { 'reroll.dev/settle-max': '500ms' });
    await hand.edit('value-2-', 1_600);
    await hand.edit('value-3-', 600);
    await hand.engine('value-3-', true);
    expect(hand.promises(true)).toEqual(['not exactly once']);
  });

  it.each([
    ['left to its next run', 'next-run', ['restart without reason']],
    ['left alone', 'never', ['restart without reason']],
    ['run at once', 'run-now', []],
  ])('expects a Job that is to be %s', async (_what, policy, promises) => {
    const hand = await adopted();
    const annotations = { ...auto, 'reroll.dev/job-policy': policy };
    seed(hand.server, job({ name: 'migrate', annotations, envFrom: [fromConfigMap('app')] }));
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.createAnew('value-2-');
    expect(hand.promises()).toEqual(promises);
  });

  it.each([
    ['is to be left alone', 'never', ['foreign write']],
    ['waits for its next run', 'next-run', []],
  ])('expects a record of a CronJob that %s', async (_what, policy, promises) => {
    const annotations = { ...auto, 'reroll.dev/cronjob-policy': policy };
    const hand = await adopted(({ server }) => {
      seed(server, cronJob({ name: 'report', annotations, envFrom: [fromConfigMap('app')] }));
      return Promise.resolve();
    });
    await hand.recordOnCronJob('value-1-');
    expect(hand.promises()).toEqual(promises);
  });

  it('expects no record of a Job that is to be left alone', async () => {
    const hand = await adopted();
    const annotations = { ...auto, 'reroll.dev/job-policy': 'never' };
    seed(hand.server, job({ name: 'migrate', annotations, envFrom: [fromConfigMap('app')] }));
    expect(hand.promises()).toEqual([]);
  });
});
