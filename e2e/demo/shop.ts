import {
  configMap,
  cronJob,
  daemonSet,
  deployment,
  envFromKey,
  fromConfigMap,
  fromSecret,
  job,
  secret,
  statefulSet,
  volumeOf,
} from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';

export const namespace = 'shop';

const auto = { 'reloader.stakater.com/auto': 'true' };

/** All kinds of workload, and all ways to use a source. Sources come first, because workloads need them to exist. */
export const shopObjects: readonly ObjectInput[] = [
  configMap({ name: 'app-config', namespace, data: { color: 'green', 'log-level': 'info', 'page-size': '20' } }),
  configMap({ name: 'agent-config', namespace, data: { interval: '10s' } }),
  configMap({ name: 'batch-config', namespace, data: { currency: 'EUR' } }),
  secret({ name: 'db-credentials', namespace, data: { username: 'shop', password: 'sesame' } }),
  secret({ name: 'api-tls', namespace, data: { 'tls.crt': 'sesame', 'tls.key': 'sesame', 'ca.crt': 'sesame' } }),
  deployment({ name: 'web', namespace, replicas: 3, annotations: auto, envFrom: [fromConfigMap('app-config')] }),
  deployment({
    name: 'api',
    namespace,
    annotations: auto,
    env: [envFromKey('ConfigMap', 'app-config', 'log-level', 'LOG_LEVEL')],
    volumes: [volumeOf('Secret', 'api-tls', ['tls.crt', 'tls.key'])],
    volumeMounts: [{ name: 'secret-api-tls', mountPath: '/tls' }],
  }),
  deployment({
    name: 'picky',
    namespace,
    annotations: { ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'app-config' },
    envFrom: [fromConfigMap('app-config')],
  }),
  deployment({ name: 'legacy', namespace, envFrom: [fromConfigMap('app-config')] }),
  statefulSet({
    name: 'db',
    namespace,
    replicas: 2,
    annotations: { 'secret.reloader.stakater.com/reload': 'db-credentials' },
    envFrom: [fromSecret('db-credentials')],
  }),
  daemonSet({
    name: 'agent',
    namespace,
    annotations: { ...auto, 'reroll.dev/settle': 'half a second' },
    envFrom: [fromConfigMap('agent-config')],
  }),
  cronJob({ name: 'report', namespace, annotations: auto, envFrom: [fromConfigMap('batch-config')] }),
  job({ name: 'migrate', namespace, annotations: auto, envFrom: [fromConfigMap('batch-config')] }),
];

/** Workloads that a source can restart, sorted by name: these get a baseline. */
export const workloadsWithBaseline: readonly string[] = [
  'CronJob report',
  'DaemonSet agent',
  'Deployment api',
  'Deployment web',
  'Job migrate',
  'StatefulSet db',
];
