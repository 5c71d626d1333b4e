import { describe, expect, it } from '@jest/globals';
import { deployment, fromConfigMap, job, seed } from '../apiserver/cluster';
import { writeBy } from '../apiserver/registry';
import { adopted, type Hand } from './history.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };

/** `web` asks for this from its creation on. */
async function asking(annotation: string, value: string): Promise<Hand> {
  return await adopted(async ({ server }) => {
    const options = { propagationPolicy: 'Background' } as const;
    const context = writeBy('dev', 'dev', 'delete');
    await server.registry.delete(context, server.kindOf('Deployment'), 'default', 'web', options);
    const annotations = { ...auto, [annotation]: value };
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
    // It sets kubectl.kubernetes.io/restartedAt.
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
    ['left to its next run', 'next-run', ['restart without reason']],
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
});
