import { describe, expect, it } from '@jest/globals';
import { clientWorld, zeroRandom } from '../../shared/kube/client/client.fixture';
import { FakeBody } from '../../shared/kube/transport/fake-transport';
import { ReplicaDiscovery } from './replica-discovery';

interface Conditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
}

const endpoint = (ip: string, conditions: Conditions = { ready: true, serving: true }, pod?: string) => ({
  addresses: [ip],
  conditions,
  ...(pod !== undefined && { targetRef: { kind: 'Pod', uid: pod } }),
});

function slice(endpoints: readonly object[] | null, fields: object = {}, name = 'reroll-channel-x') {
  return {
    metadata: { name, namespace: 'reroll', uid: name, resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
    addressType: 'IPv4',
    ports: [{ name: 'channel', port: 8444, protocol: 'TCP' }],
    endpoints,
    ...fields,
  };
}

/** A discovery whose watch events the test chooses. */
async function discovery() {
  const body = new FakeBody();
  const { client, clock, logger, transport } = clientWorld((_request, index) => ({
    body: index === 0 ? body : new FakeBody(),
  }));
  const reported: string[][] = [];
  const replicas = new ReplicaDiscovery({
    ...{ client, clock, logger, random: zeroRandom },
    namespace: 'reroll',
    service: 'reroll-channel',
    onReplicas: (addresses) => reported.push([...addresses]),
  });
  replicas.start();
  await clock.settle();
  const see = async (type: string, object: object): Promise<readonly string[] | undefined> => {
    body.line({ type, object });
    await clock.settle();
    return reported.at(-1);
  };
  body.line({
    type: 'BOOKMARK',
    object: { metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } } },
  });
  await clock.settle();
  return { see, reported, replicas, transport };
}

describe('ReplicaDiscovery', () => {
  it('watches the slices of one Service', async () => {
    const { transport, replicas } = await discovery();
    const { pathname, searchParams } = new URL(transport.requests[0]?.path ?? '', 'https://api');
    expect(pathname).toBe('/apis/discovery.k8s.io/v1/namespaces/reroll/endpointslices');
    expect(searchParams.get('labelSelector')).toBe('kubernetes.io/service-name=reroll-channel');
    await replicas.stop();
  });

  it('adds and removes replicas with each watch event', async () => {
    const { see, replicas } = await discovery();
    expect(await see('ADDED', slice([endpoint('10.0.0.1')]))).toEqual(['10.0.0.1:8444']);
    expect(await see('MODIFIED', slice([endpoint('10.0.0.1'), endpoint('10.0.0.2')]))).toEqual([
      '10.0.0.1:8444',
      '10.0.0.2:8444',
    ]);
    expect(await see('MODIFIED', slice([endpoint('10.0.0.2')]))).toEqual(['10.0.0.2:8444']);
    expect(await see('DELETED', slice([]))).toEqual([]);
    await replicas.stop();
  });

  it.each<[string, Conditions, boolean]>([
    ['ready', { ready: true, serving: true }, true],
    ['of unknown condition', {}, true],
    ['not ready', { ready: false, serving: true }, false],
    ['not serving', { ready: true, serving: false }, false],
  ])('decides about an endpoint that is %s', async (_what, conditions, counts) => {
    const { see, replicas } = await discovery();
    expect(await see('ADDED', slice([endpoint('10.0.0.1', conditions)]))).toEqual(counts ? ['10.0.0.1:8444'] : []);
    await replicas.stop();
  });

  it('merges several slices, and lists a dual-stack pod once', async () => {
    const { see, replicas } = await discovery();
    await see('ADDED', slice([endpoint('10.0.0.1', {}, 'pod-1'), endpoint('10.0.0.2', {}, 'pod-2')]));
    const ipv6 = slice(
      [endpoint('fd00::1', {}, 'pod-1'), endpoint('fd00::3', {}, 'pod-3')],
      { addressType: 'IPv6' },
      'v6',
    );
    expect(await see('ADDED', ipv6)).toEqual(['10.0.0.1:8444', '10.0.0.2:8444', '[fd00::3]:8444']);
    await replicas.stop();
  });

  it.each([
    ['no endpoints', slice(null)],
    ['no ports', slice([endpoint('10.0.0.1')], { ports: null })],
    ['no addresses', slice([{ addresses: [] }])],
    ['nonsense', slice([endpoint('10.0.0.1')], { ports: ['8444'], endpoints: [7, null] })],
  ])('takes a slice with %s for an empty one', async (_what, object) => {
    const { see, replicas } = await discovery();
    expect(await see('ADDED', object)).toEqual([]);
    await replicas.stop();
  });
});
