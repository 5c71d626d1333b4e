/**
 * How the lists of built-in kinds merge, by field name (`patchMergeKey` and `x-kubernetes-list-map-keys` in k8s.io/api).
 *
 * The field name is enough: no two lists of the served kinds share a name and differ in their key.
 */
interface ListKeys {
  /** The one key that identifies an item in a strategic merge patch. */
  readonly patchMergeKey: string;
  /** The keys for server-side apply and managedFields, possibly several, each with its default value. */
  readonly mapKeys: Readonly<Record<string, string | undefined>>;
}

const by = (key: string): ListKeys => ({ patchMergeKey: key, mapKeys: { [key]: undefined } });

const mapLists: Readonly<Record<string, ListKeys>> = {
  containers: by('name'),
  initContainers: by('name'),
  ephemeralContainers: by('name'),
  env: by('name'),
  volumes: by('name'),
  volumeMounts: by('mountPath'),
  volumeDevices: by('devicePath'),
  ports: { patchMergeKey: 'containerPort', mapKeys: { containerPort: undefined, protocol: 'TCP' } },
  imagePullSecrets: by('name'),
  hostAliases: by('ip'),
  resourceClaims: by('name'),
  schedulingGates: by('name'),
  topologySpreadConstraints: {
    patchMergeKey: 'topologyKey',
    mapKeys: { topologyKey: undefined, whenUnsatisfiable: undefined },
  },
  ownerReferences: by('uid'),
  conditions: by('type'),
  secrets: by('name'),
  webhooks: by('name'),
};

/** Lists of strings that merge as sets. */
const setLists: ReadonlySet<string> = new Set(['finalizers']);

export function listKeys(field: string): ListKeys | undefined {
  return mapLists[field];
}

export function isSetList(field: string): boolean {
  return setLists.has(field);
}
