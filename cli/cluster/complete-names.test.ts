import { describe, expect, it } from '@jest/globals';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { refusal } from '../../shared/kube/transport/fake-transport';
import type { CompletionRequest } from '../../shared/runtime/options/cli';
import { FakeClock } from '../../shared/runtime/fake-clock';
import type { ClusterWorld } from './cluster-command';
import { clusterOptionTable, type ConnectOptions } from './cluster-options';
import { completeNames, type Named } from './complete-names';

const request: CompletionRequest = { flag: undefined, word: '', args: [], env: {} };

function world(reply = { status: 200, body: named('web', 'api') }) {
  const { client, transport } = clientWorld(() => reply);
  const clock = new FakeClock();
  const options: ConnectOptions[] = [];
  let closed = 0;
  const connect: ClusterWorld['connect'] = async (given) => {
    options.push(given);
    return await Promise.resolve({
      ...{ client, namespace: given.namespace ?? 'default', clock },
      ask: async () => await Promise.reject(new Error('not asked')),
      forward: async () => await Promise.reject(new Error('not asked')),
      close: async () => {
        closed++;
        await Promise.resolve();
      },
    });
  };
  const flagNames = { for: ['source'] } as const;
  const complete = async (more: Partial<CompletionRequest>, ...names: readonly Named[]) =>
    await completeNames({ options: clusterOptionTable, names, flagNames }, { connect, clock }, { ...request, ...more });
  return { complete, transport, options, closed: () => closed };
}

function named(...names: readonly string[]): { items: object[] } {
  return { items: names.map((name) => ({ metadata: { name, uid: name, resourceVersion: '1' } })) };
}

describe('completeNames', () => {
  it.each<[Named, string, string]>([
    ['workload', 'deploy/', '/apis/apps/v1/namespaces/shop/deployments'],
    ['workload', 'rollouts/w', '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts'],
    ['source', 'cm/', '/api/v1/namespaces/shop/configmaps'],
    ['source', 'secret/', '/api/v1/namespaces/shop/secrets'],
    ['namespace', 'ns/', '/api/v1/namespaces'],
  ])('lists names of a %s behind %s, as it was typed', async (names, word, path) => {
    const { complete, transport, options, closed } = world();
    const [kind = ''] = word.split('/');
    const args = ['-n', 'shop', '--context=main'];
    expect(await complete({ word, args }, names)).toEqual([`${kind}/web`, `${kind}/api`]);
    expect(transport.requests.map((each) => each.path)).toEqual([path]);
    // Content of Secrets is not asked for.
    expect(transport.requests[0]?.headers['accept']).toMatch(/^application\/json;as=PartialObjectMetadataList/);
    expect(options).toMatchObject([{ namespace: 'shop', context: 'main', timeoutMs: 1_000 }]);
    expect(closed()).toBe(1);
  });

  it.each(['namespace', 'reroll-namespace'])('lists namespaces for --%s', async (flag) => {
    const { complete, transport } = world();
    expect(await complete({ flag })).toEqual(['web', 'api']);
    expect(transport.requests.map(({ path }) => path)).toEqual(['/api/v1/namespaces']);
  });

  it('knows all kinds of which the argument may name one', async () => {
    const { complete, transport } = world();
    const names = ['workload', 'source', 'namespace'] as const;
    expect(await complete({}, ...names)).toEqual(expect.arrayContaining(['deployment/', 'secret/', 'namespace/']));
    expect(await complete({ word: 'cm/' }, ...names)).toEqual(['cm/web', 'cm/api']);
    expect(transport.requests).toHaveLength(1);
  });

  it('lists sources for --for, whatever the argument names', async () => {
    const { complete, transport } = world();
    expect(await complete({ flag: 'for', word: 'cm/' }, 'workload')).toEqual(['cm/web', 'cm/api']);
    expect(transport.requests[0]?.path).toBe('/api/v1/namespaces/default/configmaps');
  });

  it.each<[string, Partial<CompletionRequest>, Named | undefined]>([
    ['a kind', { word: 'dep' }, 'workload'],
    ['an unknown kind', { word: 'pod/' }, 'workload'],
    ['a source, where a workload is named', { word: 'cm/' }, 'workload'],
    ['a flag without names', { flag: 'timeout' }, 'workload'],
    ['an argument of a command without any', {}, undefined],
    ['a wrong flag before it', { word: 'deploy/', args: ['--nonsense'] }, 'workload'],
  ])('does not ask the cluster for %s', async (_what, more, names) => {
    const { complete, transport } = world();
    await complete(more, ...(names ? [names] : []));
    expect(transport.requests).toEqual([]);
  });

  it('waits a second at most for a plugin that obtains credentials', async () => {
    const clock = new FakeClock();
    const connect: ClusterWorld['connect'] = async () => await new Promise(() => undefined);
    const command = { options: clusterOptionTable, names: ['workload'] } as const;
    const found = completeNames(command, { connect, clock }, { ...request, word: 'deploy/' });
    await clock.advance(1_000);
    expect(await found).toEqual([]);
  });

  it.each(['workload', 'source'] as const)('knows nothing if it may not list, and closes: %s', async (names) => {
    const { complete, closed } = world(refusal(403, 'Forbidden') as never);
    expect(await complete({ word: names === 'source' ? 'cm/' : 'deploy/' }, names)).toEqual([]);
    expect(closed()).toBe(1);
  });
});
