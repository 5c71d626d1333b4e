import { envFromKey, fromConfigMap, fromSecret, volumeOf } from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import type { Draw } from './draw';

/** What a workload uses. */
export interface Uses {
  readonly env: readonly JsonObject[];
  readonly envFrom: readonly JsonObject[];
  readonly volumes: readonly JsonObject[];
  readonly volumeMounts: readonly JsonObject[];
  /** Containers beside the one that the fields above describe. */
  readonly sidecars?: readonly JsonObject[];
  readonly initContainers?: readonly JsonObject[];
}

/** Draws what a workload uses: whole sources, single keys, or nothing. */
export function drawUses(draw: Draw, namespace: string): Uses {
  const configMaps = namespace === 'default' ? ['app', 'extra'] : ['app'];
  const envFrom: JsonObject[] = draw.some(configMaps, 0.45).map((name) => fromConfigMap(name, true));
  if (draw.chance(0.35)) envFrom.push(fromSecret('db', true));
  const env: JsonObject[] = draw
    .some(configMaps, 0.35)
    .map((name) => envFromKey('ConfigMap', name, draw.pick(['color', 'size', 'token']), `CM_${name.toUpperCase()}`));
  if (draw.chance(0.35)) env.push(envFromKey('Secret', 'db', draw.pick(['color', 'token']), 'DB_KEY'));
  const volumes = draw.chance(0.3) ? [drawVolume(draw)] : [];
  const volumeMounts = volumes.map(({ name }, index) => ({ name: name ?? '', mountPath: `/etc/${index}` }));
  return { env, envFrom, volumes, volumeMounts };
}

function drawVolume(draw: Draw): JsonObject {
  const keys = draw.chance(0.5) ? [draw.pick(['color', 'size', 'token'])] : undefined;
  return draw.chance(0.6) ? volumeOf('ConfigMap', 'app', keys) : volumeOf('Secret', 'db', keys);
}
