import { csiVolume } from '../apiserver/add-ons';
import { arrayAt, stringAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { Draw } from './draw';
import type { Features } from './features';
import { podTemplateOf } from './usage';
import type { Uses } from './uses';

/** The SecretProviderClasses of simulated clusters. */
export const classes = [
  { namespace: 'default', name: 'vault' },
  { namespace: 'default', name: 'tls' },
  { namespace: 'shop', name: 'vault' },
] as const;

export function classesOf(object: KubeObject): readonly string[] {
  const volumes = arrayAt(podTemplateOf(object), 'spec', 'volumes');
  return volumes.flatMap((volume) => stringAt(volume, 'csi', 'volumeAttributes', 'secretProviderClass') ?? []);
}

/** Adds the classes that a workload mounts, if there are any, to what else it uses. It has draws of its own. */
export class CsiMounts {
  readonly #isServed: boolean;
  readonly #draw: Draw;

  constructor({ csi }: Features, draw: Draw) {
    this.#isServed = csi !== undefined;
    this.#draw = draw;
  }

  added(uses: Uses, namespace: string): Uses {
    if (!this.#isServed) return uses;
    const mounted = classes.filter((row) => row.namespace === namespace && this.#draw.chance(0.45));
    const all = mounted.map(({ name }) => csiVolume(name));
    return {
      ...uses,
      volumes: [...uses.volumes, ...all.flatMap(({ volumes = [] }) => volumes)],
      volumeMounts: [
        ...uses.volumeMounts,
        ...all.flatMap(({ volumeMounts = [] }, index) =>
          volumeMounts.map((mount) => ({ ...mount, mountPath: `/secrets/${index}` })),
        ),
      ],
    };
  }
}
