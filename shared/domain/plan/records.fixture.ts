import { defaultAnnotationKeys } from '../annotations/annotations';
import { ContentDigester, type ContentDigest } from '../sources/content-digest';
import type { PolicySettings } from '../policy/policy';
import type { DigestedSource, SourceKind, SourceRecord } from '../sources/source';
import { readWorkload, type WorkloadRecord } from '../workloads/workload';
import { workloadKind, type WorkloadKindName } from '../kubernetes/workload-kinds';
import { workloadKey, type TrackedWorkload } from './tracked-workload';

export const digester = new ContentDigester(Buffer.alloc(32, 1));
export const policySettings: PolicySettings = { autoReloadAll: false, ignoredWorkloadKinds: [] };
export const auto = { 'reloader.stakater.com/auto': 'true' };

/** The start time of a FakeClock. */
const epochMs = Date.UTC(2026, 0, 1);

/** `seconds` after the start of a FakeClock, in milliseconds of the wall clock. */
export function at(seconds: number): number {
  return epochMs + seconds * 1000;
}

/** Names the source of {@link sourceRecord}. */
export const appConfig = { kind: 'ConfigMap', namespace: 'shop', name: 'app' } as const;

type Data = Readonly<Record<string, string>>;

export function contentOf(data: Data, kind: SourceKind = 'ConfigMap', name = 'app', namespace = 'shop'): ContentDigest {
  const entries = Object.entries(data).map(([key, value]) => [key, Buffer.from(value)] as const);
  return digester.digest({ kind, namespace, name }, entries);
}

/** ConfigMap `shop/app` with `color: red`, created before everything else, unless overridden. */
export function sourceRecord({
  data = { color: 'red' },
  ...options
}: Partial<DigestedSource> & { readonly data?: Data } = {}): DigestedSource {
  const { kind = 'ConfigMap', name = 'app', namespace = 'shop' } = options;
  return {
    kind,
    namespace,
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    createdAtMs: at(-3600),
    writtenAtMs: undefined,
    ignore: false,
    match: false,
    content: contentOf(data, kind, name, namespace),
    ...options,
  };
}

/** The same as {@link sourceRecord}, as a list of metadata returns it. */
export function listedRecord(
  options?: Parameters<typeof sourceRecord>[0],
): SourceRecord & { readonly content: 'metadata-only' } {
  return { ...sourceRecord(options), content: 'metadata-only' };
}

export interface WorkloadOptions {
  readonly kind?: WorkloadKindName;
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly annotations?: Data;
  readonly baseline?: string | undefined;
  readonly createdAtMs?: number;
  /** The last write to anything but the status. */
  readonly writtenAtMs?: number;
  readonly deleting?: boolean;
  readonly controlledBy?: { readonly kind: string; readonly name: string };
  /** Sources that its one container takes whole into its environment: `cm/app`, `secret/db`. */
  readonly uses?: readonly string[];
  /** Keys of ConfigMap `app` that it uses one by one. */
  readonly keys?: readonly string[];
  readonly containers?: readonly object[];
}

/** The JSON of Deployment `shop/web`, opted in and using ConfigMap `app`, unless overridden. */
export function workloadObject({
  kind = 'Deployment',
  name = 'web',
  namespace = 'shop',
  uid = `uid-${name}`,
  resourceVersion = '10',
  annotations = auto,
  createdAtMs = at(-600),
  writtenAtMs,
  baseline,
  deleting = false,
  controlledBy,
  keys = [],
  uses = keys.length > 0 ? [] : ['cm/app'],
  containers = [{ name: 'main', env: keys.map(keyVariable), envFrom: uses.map(wholeSource) }],
}: WorkloadOptions = {}) {
  const template = { metadata: {}, spec: { containers } };
  return {
    kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      annotations: { ...annotations, ...(baseline !== undefined && { 'reroll.dev/baseline': baseline }) },
      creationTimestamp: timestamp(createdAtMs),
      ...(writtenAtMs !== undefined && { managedFields: [{ manager: 'kubectl', time: timestamp(writtenAtMs) }] }),
      ...(deleting && { deletionTimestamp: timestamp(createdAtMs) }),
      ...(controlledBy && { ownerReferences: [{ ...controlledBy, controller: true }] }),
    },
    spec: kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template },
  };
}

export function workloadRecord(options: WorkloadOptions = {}, settings = policySettings): WorkloadRecord {
  const kind = workloadKind(options.kind ?? 'Deployment');
  return readWorkload(kind, workloadObject(options), defaultAnnotationKeys, settings);
}

/** A workload as an index holds it that has used its sources since it was created, without a baseline unless overridden. */
export function trackedWorkload(record: WorkloadRecord, more: Partial<TrackedWorkload> = {}): TrackedWorkload {
  return {
    key: workloadKey(record.kind, record.namespace, record.name),
    record,
    ...{ baseline: undefined, baselineProblem: undefined, baselineLost: false, unwritten: false },
    ...{ referencedSinceMs: record.createdAtMs, referencedSinceVersion: record.resourceVersion },
    ...{ unrecordedSince: new Map(), shownSince: new Map() },
    ...more,
  };
}

function timestamp(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z');
}

function keyVariable(key: string): object {
  return { name: key.toUpperCase(), valueFrom: { configMapKeyRef: { name: 'app', key } } };
}

function wholeSource(id: string): object {
  const [kind, name] = id.split('/');
  return { [kind === 'cm' ? 'configMapRef' : 'secretRef']: { name } };
}
