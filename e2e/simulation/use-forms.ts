import { objectAt, stringAt, type JsonObject } from '../apiserver/json';
import type { Draw } from './draw';
import type { Features } from './features';
import { isStaged } from './stage-world';
import type { Uses } from './uses';
import type { World } from './world';

/** In some worlds, workloads use their sources in every form that a pod template has. Uses its own draws. */
export function withForms(world: World, draw: Draw): World {
  // To a kubelet, a volume that is not mounted counts, too. So a content that breaks pods would break some that Reroll
  // does not restart.
  if (isStaged(world) || world.features.crowd || !draw.chance(0.09)) return world;
  return { ...world, features: { ...world.features, forms: true } };
}

const places = ['app', 'app', 'sidecar', 'setup'] as const;
type ContainerName = (typeof places)[number];

/** How a volume is mounted, by the paths in it; an empty list: not at all. */
type Mount = Readonly<Record<'subPath' | 'subPathExpr', string>>;
const mountsOfKeys: readonly Partial<Mount>[][] = [
  [{}],
  [{ subPath: 'color' }],
  [{ subPath: 'color' }, { subPath: './size' }],
  [{ subPath: 'token' }],
  [{ subPath: 'color' }, {}],
  [{ subPathExpr: '$(NODE)' }],
  [],
];
const mountsOfDirectories: readonly Partial<Mount>[][] = [
  [{}],
  [{ subPath: 'conf' }],
  [{ subPath: 'conf/color' }, { subPath: 'other' }],
  [{ subPath: 'other//token' }],
  [{ subPath: 'con' }],
];
const directories = [
  { key: 'color', path: 'conf/color' },
  { key: 'size', path: 'conf/sizes/size' },
  { key: 'token', path: 'other/token' },
];

/**
 * Spreads what a workload uses over an init container, its container and a sidecar, and mounts volumes in parts, as a
 * projection of several sources, or not at all. It has draws of its own.
 */
export class UseForms {
  readonly #isVaried: boolean;
  readonly #draw: Draw;

  constructor({ forms = false }: Features, draw: Draw) {
    this.#isVaried = forms;
    this.#draw = draw;
  }

  varied(uses: Uses, namespace: string): Uses {
    if (!this.#isVaried) return uses;
    const found: Record<ContainerName, { readonly [field in Field]: JsonObject[] }> = {
      app: emptyContainer(),
      sidecar: emptyContainer(),
      setup: emptyContainer(),
    };
    const put = (field: Field, entries: readonly JsonObject[]): void => {
      for (const entry of entries) found[this.#draw.pick(places)][field].push(entry);
    };
    put('env', uses.env);
    put('envFrom', uses.envFrom);
    const volumes = uses.volumes.map((volume) => this.#formOf(volume, namespace));
    for (const volume of volumes) put('volumeMounts', this.#mountsOf(volume));
    const { app, sidecar, setup } = found;
    return {
      ...app,
      volumes,
      sidecars: isEmpty(sidecar) ? [] : [{ name: 'sidecar', image: 'registry.example/sidecar:1', ...sidecar }],
      initContainers: isEmpty(setup) ? [] : [{ name: 'setup', image: 'registry.example/setup:1', ...setup }],
    };
  }

  /** Classes of a CSI driver stay as they are. */
  #formOf(volume: JsonObject, namespace: string): JsonObject {
    if (isOfCsi(volume)) return volume;
    const isSplit = this.#draw.chance(0.35);
    const items = isSplit ? { items: this.#draw.some(directories, 0.7) } : {};
    const own = { ...objectAt(volume, 'configMap'), ...objectAt(volume, 'secret'), ...items };
    const { secretName, ...rest } = own as JsonObject & { readonly secretName?: string };
    const source = secretName === undefined ? { configMap: rest } : { secret: { ...rest, name: secretName } };
    if (!this.#draw.chance(0.5)) {
      return { ...volume, ...(secretName === undefined ? { configMap: own } : { secret: own }) };
    }
    const other = namespace === 'default' ? 'extra' : 'app';
    const others = [{ secret: { name: 'db' } }, { configMap: { name: other, items: [{ key: 'size', path: 'size' }] } }];
    return { name: volume['name'] ?? '', projected: { sources: [source, ...this.#draw.some(others, 0.5)] } };
  }

  #mountsOf(volume: JsonObject): readonly JsonObject[] {
    const name = stringAt(volume, 'name') ?? '';
    if (isOfCsi(volume)) return [{ name, mountPath: `/secrets/${name}` }];
    const hasDirectories = JSON.stringify(volume).includes('conf/');
    const mounts = this.#draw.pickAny(hasDirectories ? mountsOfDirectories : mountsOfKeys) ?? [];
    return mounts.map((mount, index) => ({ name, mountPath: `/etc/${name}/${index}`, ...mount }));
  }
}

type Field = 'env' | 'envFrom' | 'volumeMounts';

function emptyContainer(): { readonly [field in Field]: JsonObject[] } {
  return { env: [], envFrom: [], volumeMounts: [] };
}

function isEmpty(container: ReturnType<typeof emptyContainer>): boolean {
  return Object.values(container).every((entries) => entries.length === 0);
}

function isOfCsi(volume: JsonObject): boolean {
  return volume['csi'] !== undefined;
}
