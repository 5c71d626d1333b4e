import { clientWorld } from '../../shared/kube/client/client.fixture';
import type { Cluster } from '../cluster/cluster';
import { LeaderSilentError } from '../cluster/silence';

/** What a leader says by path, without the query; undefined: an older version, which has no such path. */
export type Says = Readonly<Record<string, object | undefined>>;

/** A cluster whose leader says this, and whose API server answers 404 to all reads. */
export function clusterThatSays(says: Says): { readonly cluster: Cluster; readonly asked: string[] } {
  const asked: string[] = [];
  const notFound = { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 };
  const { client, clock } = clientWorld(() => ({ status: 404, body: JSON.stringify(notFound) }));
  const ask = async (path: string) => {
    asked.push(path);
    const body = says[path.split('?')[0] ?? ''];
    if (body === undefined) throw new LeaderSilentError('no-interface', 'only /v1/health is served');
    return await Promise.resolve({ pod: 'reroll-0', body, bytes: JSON.stringify(body).length });
  };
  const forward = async () => await Promise.reject(new Error('no port is forwarded'));
  const close = async () => await Promise.resolve();
  return { cluster: { client, clock, namespace: 'shop', ask, forward, close }, asked };
}
