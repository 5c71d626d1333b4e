import { arrayAt, isObject, objectAt, stringAt, type JsonObject, type JsonValue } from './json';

/** Sets the defaults of `SetDefaults_PodSpec` and related functions, so that reads look as on a real cluster. */
export function defaultPodSpec(spec: JsonObject): JsonObject {
  return {
    ...spec,
    ...mapItems(spec, 'volumes', defaultVolume),
    ...mapItems(spec, 'initContainers', defaultContainer),
    ...mapItems(spec, 'containers', defaultContainer),
    restartPolicy: spec['restartPolicy'] ?? 'Always',
    terminationGracePeriodSeconds: spec['terminationGracePeriodSeconds'] ?? 30,
    dnsPolicy: spec['dnsPolicy'] ?? 'ClusterFirst',
    securityContext: spec['securityContext'] ?? {},
    schedulerName: spec['schedulerName'] ?? 'default-scheduler',
  };
}

function defaultContainer(container: JsonObject): JsonObject {
  const image = stringAt(container, 'image') ?? '';
  const latest = image.endsWith(':latest') || !/:[^/]+$|@/.test(image);
  return {
    ...container,
    ...mapItems(container, 'ports', (port) => ({ ...port, protocol: port['protocol'] ?? 'TCP' })),
    ...mapItems(container, 'env', defaultEnvironmentVariable),
    resources: container['resources'] ?? {},
    terminationMessagePath: container['terminationMessagePath'] ?? '/dev/termination-log',
    terminationMessagePolicy: container['terminationMessagePolicy'] ?? 'File',
    imagePullPolicy: container['imagePullPolicy'] ?? (latest ? 'Always' : 'IfNotPresent'),
  };
}

function defaultEnvironmentVariable(variable: JsonObject): JsonObject {
  // An empty value is not returned: the Go field is omitempty.
  if (variable['value'] === '') return Object.fromEntries(Object.entries(variable).filter(([key]) => key !== 'value'));
  const fieldRef = objectAt(variable, 'valueFrom', 'fieldRef');
  if (fieldRef['fieldPath'] === undefined) return variable;
  return { ...variable, valueFrom: { fieldRef: { apiVersion: 'v1', ...fieldRef } } };
}

const modeDefaults = ['configMap', 'secret', 'projected', 'downwardAPI'] as const;

function defaultVolume(volume: JsonObject): JsonObject {
  for (const source of modeDefaults) {
    const settings = volume[source];
    if (isObject(settings))
      return { ...volume, [source]: { ...settings, defaultMode: settings['defaultMode'] ?? 420 } };
  }
  return volume;
}

function mapItems(object: JsonObject, field: string, change: (item: JsonObject) => JsonObject): JsonObject {
  if (object[field] === undefined) return {};
  return { [field]: arrayAt(object, field).map((item): JsonValue => (isObject(item) ? change(item) : item)) };
}
