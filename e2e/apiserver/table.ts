import { arrayAt, numberAt, objectAt, stringAt, textOf, type JsonObject, type JsonValue } from './json';
import type { KubeObject } from './objects';
import type { ListMeta } from './representation';
import type { ResourceKind } from './resources';

interface Column {
  readonly name: string;
  readonly type?: 'string' | 'integer';
  /** A column with a priority above 0 shows only with `-o wide`. */
  readonly priority?: number;
  readonly cell: (object: KubeObject, nowMs: number) => JsonValue;
}

/** Options of a request for a Table. */
export interface TableRequest {
  readonly nowMs: number;
  /** Rows contain the whole object (`includeObject=Object`), which `--sort-by` needs. Otherwise only its metadata. */
  readonly wholeObjects: boolean;
}

/** A metav1.Table, which `kubectl get` prints. */
export function tableOf(
  kind: ResourceKind,
  objects: readonly KubeObject[],
  metadata: ListMeta,
  { nowMs, wholeObjects }: TableRequest,
): JsonObject {
  const columns = [name, ...(columnsByKind[kind.kind] ?? []), ...(kind.kind === 'Event' ? [] : [age])];
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map((column) => ({
      name: column.name,
      type: column.type ?? 'string',
      format: column.name === 'Name' ? 'name' : '',
      description: '',
      priority: column.priority ?? 0,
    })),
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, nowMs)),
      object: wholeObjects
        ? { ...object }
        : { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
    })),
  };
}

const name: Column = { name: 'Name', cell: (object) => object.metadata.name };
const age: Column = { name: 'Age', cell: (object, nowMs) => elapsed(object.metadata.creationTimestamp, nowMs) };

const number = (title: string, ...path: readonly string[]): Column => ({
  name: title,
  type: 'integer',
  cell: (object) => numberAt(object, ...path) ?? 0,
});
const text = (title: string, ...path: readonly string[]): Column => ({
  name: title,
  cell: (object) => stringAt(object, ...path) ?? '',
});
const ready: Column = {
  name: 'Ready',
  cell: (object) => `${numberAt(object, 'status', 'readyReplicas') ?? 0}/${numberAt(object, 'spec', 'replicas') ?? 0}`,
};
const dataCount: Column = {
  name: 'Data',
  type: 'integer',
  cell: (object) => Object.keys(objectAt(object, 'data')).length + Object.keys(objectAt(object, 'binaryData')).length,
};

const columnsByKind: Readonly<Record<string, readonly Column[]>> = {
  Namespace: [text('Status', 'status', 'phase')],
  ConfigMap: [dataCount],
  Secret: [text('Type', 'type'), dataCount],
  Pod: [
    {
      name: 'Ready',
      cell: (pod) => {
        const statuses = arrayAt(pod, 'status', 'containerStatuses');
        const readyCount = statuses.filter((status) => objectAt(status)['ready'] === true).length;
        return `${readyCount}/${arrayAt(pod, 'spec', 'containers').length}`;
      },
    },
    text('Status', 'status', 'phase'),
    { name: 'Restarts', cell: () => '0' },
  ],
  Event: [
    { name: 'Last Seen', cell: (event, nowMs) => elapsed(stringAt(event, 'lastTimestamp') ?? '', nowMs) },
    text('Type', 'type'),
    text('Reason', 'reason'),
    {
      name: 'Object',
      cell: (event) => {
        const { kind, name: involved } = objectAt(event, 'involvedObject');
        return `${textOf(kind).toLowerCase()}/${textOf(involved)}`;
      },
    },
    text('Message', 'message'),
  ],
  Deployment: [
    ready,
    number('Up-to-date', 'status', 'updatedReplicas'),
    number('Available', 'status', 'availableReplicas'),
  ],
  StatefulSet: [ready],
  DaemonSet: [
    number('Desired', 'status', 'desiredNumberScheduled'),
    number('Current', 'status', 'currentNumberScheduled'),
    number('Ready', 'status', 'numberReady'),
    number('Up-to-date', 'status', 'updatedNumberScheduled'),
    number('Available', 'status', 'numberAvailable'),
  ],
  ReplicaSet: [
    number('Desired', 'spec', 'replicas'),
    number('Current', 'status', 'replicas'),
    number('Ready', 'status', 'readyReplicas'),
  ],
  Job: [
    {
      name: 'Completions',
      cell: (job) => `${numberAt(job, 'status', 'succeeded') ?? 0}/${numberAt(job, 'spec', 'completions') ?? 1}`,
    },
  ],
  CronJob: [
    text('Schedule', 'spec', 'schedule'),
    { name: 'Suspend', cell: (cronJob) => (objectAt(cronJob, 'spec')['suspend'] === true ? 'True' : 'False') },
    { name: 'Active', type: 'integer', cell: (cronJob) => arrayAt(cronJob, 'status', 'active').length },
  ],
  Lease: [text('Holder', 'spec', 'holderIdentity')],
};

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

function elapsed(since: string, nowMs: number): string {
  if (since === '') return '<unknown>';
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1000));
  const unit = units.find(([, size]) => seconds >= 2 * size);
  return unit === undefined ? `${seconds}s` : `${Math.floor(seconds / unit[1])}${unit[0]}`;
}
