import { chartValues, type ChartValue } from './chart-values';

type Schema = Readonly<Record<string, unknown>>;

interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Record<string, ObjectSchema | Schema>;
  additionalProperties: boolean;
}

const strings = { type: 'array', items: { type: 'string' } };
/** The API server takes no other values of labels and annotations. Null takes out one of the defaults. */
const texts = { type: 'object', additionalProperties: { type: ['string', 'null'] } };
const mapsOfTexts = /(labels|annotations|nodeSelector)$/i;
const port = { type: 'integer', minimum: 1, maximum: 65_535 };
/** A Go duration; empty means the default. */
const duration = { type: 'string', pattern: '^(0|([0-9]+(\\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)?$' };
/** See httpUrl in option-schemas.ts; empty means none. */
const url = { type: 'string', pattern: '^\\s*($|[Hh][Tt][Tt][Pp][Ss]?:)' };
/** See parseRollingLimit; empty means the default. */
const rollingLimit = {
  ...{ type: ['integer', 'string'], minimum: 0, maximum: 999_999 },
  pattern: '^(off|[0-9]{1,6}( +(workloads?|pods?))?)?$',
};
const budget = { type: ['integer', 'string', 'null'], minimum: 0, pattern: '^(100|[1-9]?[0-9])%$' };

/** Schemas that cannot be derived from the default. */
const known: Readonly<Record<string, Schema>> = {
  'global.imagePullSecrets': {
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'object', required: ['name'] }] },
  },
  'image.pullPolicy': { enum: ['Always', 'IfNotPresent', 'Never'] },
  'image.digest': { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
  'reloader.reloadStrategy': { enum: ['default', 'env-vars', 'annotations', 'restarted-at'] },
  'reloader.logFormat': { enum: ['', 'json', 'text'] },
  'reloader.logLevel': { enum: ['', 'panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'] },
  'reloader.settle': duration,
  'reloader.settleMax': duration,
  'reloader.restart': { enum: ['', 'now', 'next-rollout'] },
  'reloader.minInterval': duration,
  'reloader.maxRolling': rollingLimit,
  'reloader.maxRollingPerNamespace': rollingLimit,
  'reloader.maxRollingPerNodePool': rollingLimit,
  'reloader.restartRate': { type: 'string', pattern: '^(off|0|[0-9]{1,5}/[0-9]{0,4}(s|m|h))?$' },
  'reloader.stagesFrom': { type: ['integer', 'string'], minimum: 0, maximum: 999_999, pattern: '^[0-9]{0,6}$' },
  'reloader.healthyFor': duration,
  'reloader.stageDeadline': duration,
  'reloader.prometheusUrl': url,
  'reloader.webhookUrl': url,
  'reloader.namespaces': { oneOf: [{ type: 'string' }, strings] },
  'reloader.extraArgs': strings,
  'reloader.deployment.replicas': { type: 'integer', minimum: 0 },
  'reloader.deployment.hostUsers': { type: ['boolean', 'null'] },
  'reloader.service': {
    type: 'object',
    additionalProperties: false,
    properties: {
      port,
      labels: texts,
      annotations: texts,
      ipFamilyPolicy: { enum: ['SingleStack', 'PreferDualStack', 'RequireDualStack'] },
      ipFamilies: { type: 'array', items: { enum: ['IPv4', 'IPv6'] }, minItems: 1, maxItems: 2 },
    },
  },
  'reloader.podDisruptionBudget.maxUnavailable': budget,
  'reloader.podDisruptionBudget.minAvailable': budget,
  'reloader.netpol.apiServerPorts': { type: 'array', items: port, minItems: 1 },
  'reloader.netpol.sinkPorts': { type: 'array', items: port },
  'reloader.verticalPodAutoscaler.updatePolicy.updateMode': {
    enum: ['Auto', 'Initial', 'InPlaceOrRecreate', 'Off', 'Recreate'],
  },
  'reloader.verticalPodAutoscaler.updatePolicy.minReplicas': { type: ['integer', 'null'], minimum: 1 },
  'webhook.replicas': { type: 'integer', minimum: 0 },
  'webhook.timeoutSeconds': { type: 'integer', minimum: 1, maximum: 30 },
  'webhook.port': port,
  'webhook.quietNamespaces': strings,
  'webhook.ignoreNamespaces': strings,
  'webhook.validateNamespaces': { type: 'object', additionalProperties: { enum: ['warn', 'deny'] } },
  'webhook.extraArgs': strings,
  'certificates.mode': { enum: ['selfManaged', 'certManager', 'existingSecrets'] },
  'certificates.extraArgs': strings,
  'tracing.endpoint': url,
};

/** Maps with keys that the chart does not know: `global` of a parent chart, and fields of Kubernetes. */
const open = ['global', 'reloader.deployment.securityContext', 'webhook.securityContext'];

/** JSON Schema draft 7 of the values: it rejects unknown names, except in maps whose keys users choose. */
export function valuesSchema(values: readonly ChartValue[] = chartValues()): Schema {
  const unknown = Object.keys(known).filter((path) => !values.some((value) => value.path === path));
  if (unknown.length > 0) throw new Error(`there is no such value: ${unknown.join(', ')}`);
  const root = emptyObject();
  for (const value of values) {
    const names = value.path.split('.');
    const last = names.pop() ?? '';
    const parent = at(root, names.join('.'));
    parent.properties[last] = { ...(known[value.path] ?? schemaOf(value)), description: value.describe };
  }
  root.properties['enabled'] = {
    type: 'boolean',
    description: 'For `condition: reroll.enabled` of charts that this is part of.',
  };
  for (const path of open) at(root, path).additionalProperties = true;
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...root };
}

function emptyObject(): ObjectSchema {
  return { type: 'object', additionalProperties: false, properties: {} };
}

function at(root: ObjectSchema, path: string): ObjectSchema {
  const names = path === '' ? [] : path.split('.');
  return names.reduce((object, name) => childOf(object, name), root);
}

function childOf(object: ObjectSchema, name: string): ObjectSchema {
  const child = (object.properties[name] ?? emptyObject()) as ObjectSchema;
  object.properties[name] = child;
  return child;
}

function schemaOf({ path, default: value }: ChartValue): Schema {
  if (Array.isArray(value)) return { type: 'array' };
  if (typeof value === 'number') return { type: 'integer' };
  return typeof value === 'object' && mapsOfTexts.test(path) ? texts : { type: typeof value };
}
