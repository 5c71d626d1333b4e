import { minuteMs } from './shop';

/** The objects of the shop that the API server shows: what `reroll why` reads besides the answer of the leader. */
export function shopObjects(nowMs: number): (path: string) => object | undefined {
  const iso = (agoMs: number): string => `${new Date(nowMs - agoMs).toISOString().slice(0, 19)}Z`;
  const meta = (name: string, more: object = {}): object => ({
    ...{ name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: iso(600 * minuteMs) },
    ...more,
  });
  const restart = {
    ...{ at: new Date(nowMs - 9 * minuteMs).toISOString(), id: '3f9c2a73' },
    ...{ sources: { 'cm/app': ['color'] }, by: ['alice'] },
  };
  const annotations = {
    'reloader.stakater.com/auto': 'true',
    'secrets.exclude.reloader.stakater.com/reload': 'tls',
    'reroll.dev/last-restart': JSON.stringify(restart),
  };
  const containers = [
    {
      name: 'web',
      image: 'web:1',
      envFrom: [{ configMapRef: { name: 'app' } }, { secretRef: { name: 'tls' } }],
      env: [{ name: 'URL', valueFrom: { secretKeyRef: { name: 'db', key: 'url' } } }],
    },
  ];
  const web = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta('web', { annotations }) },
    spec: { template: { metadata: {}, spec: { containers } } },
  };
  const event = {
    ...{ metadata: meta('web.1'), source: { component: 'reroll' }, type: 'Normal', reason: 'Reloaded' },
    lastTimestamp: iso(9 * minuteMs),
    message:
      'ConfigMap app: content changed (keys: color) by alice (kubectl-edit). Deployment restarted (env-vars, 3f9c2a73)',
  };
  return (path) => {
    const [plain = ''] = path.split('?');
    if (plain.endsWith('/deployments/web')) return web;
    if (plain.endsWith('/events')) return { items: path.includes('name%3Dweb') ? [event] : [] };
    const [, source] = /\/namespaces\/shop\/(?:configmaps|secrets)\/(app|db|tls)$/.exec(plain) ?? [];
    return source === undefined ? undefined : { metadata: meta(source) };
  };
}
