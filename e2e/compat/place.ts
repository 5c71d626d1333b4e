import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { merge, type Answer, type ContractClient } from '../apiserver/contract/contract-client';
import type { JsonObject } from '../apiserver/json';
import type { ObjectInput } from '../apiserver/objects';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { collectionPath, isKind, objectPath, type Kind } from './object-paths';
import type { Recorder } from './recorder';

/** The namespace of a spec: what a user does there, and the recorded results. */
export class Place {
  readonly namespace: string;
  readonly #admin: ContractClient;
  readonly #recorder: Recorder;
  readonly #process: () => RerollProcess;

  constructor(namespace: string, admin: ContractClient, recorder: Recorder, process: () => RerollProcess) {
    this.namespace = namespace;
    this.#admin = admin;
    this.#recorder = recorder;
    this.#process = process;
  }

  async create(...objects: readonly ObjectInput[]): Promise<void> {
    for (const { metadata, ...object } of objects) {
      const within = { ...object, metadata: { ...metadata, namespace: this.namespace } };
      await accepted(this.#admin.post(collectionPath(kindOf(object.kind), this.namespace), within));
    }
  }

  /** Sends a merge patch. */
  async patch(kind: Kind, name: string, body: JsonObject): Promise<void> {
    await accepted(this.#admin.patch(objectPath(kind, this.namespace, name), merge, body));
  }

  /** Writes other content into a source. */
  async edit(kind: 'ConfigMap' | 'Secret', name: string, content = 'second'): Promise<void> {
    const data = { key: content };
    await this.patch(kind, name, kind === 'Secret' ? { stringData: data } : { data });
  }

  /** Writes another version to a pod's status, like the CSI driver after a rotation. */
  async rotate(pod: string, className: string, version = '2'): Promise<void> {
    const status = { objects: [{ id: 'pw', version }] };
    await this.patch('SecretProviderClassPodStatus', `${pod}-default-${className}`, { status });
  }

  async delete(kind: Kind, name: string): Promise<void> {
    await accepted(this.#admin.delete(objectPath(kind, this.namespace, name)));
  }

  async label(labels: Readonly<Record<string, string | null>>): Promise<void> {
    await accepted(this.#admin.patch(`/api/v1/namespaces/${this.namespace}`, merge, { metadata: { labels } }));
  }

  /** Reads the current state of any path. */
  async read(path: string): Promise<JsonObject> {
    return (await this.#admin.get(path)).body;
  }

  restarts(workload: string): number {
    const { kind, name } = parse(workload);
    return this.#recorder.restarts(kind, this.namespace, name);
  }

  /** The last recorded state of a workload, Job or Event, even if it was deleted. */
  last(workload: string): JsonObject {
    const { kind, name } = parse(workload);
    return this.#recorder.history(kind, this.namespace, name).at(-1)?.object ?? {};
  }

  /** Whether the workload has the annotation of a restart by Reroll. */
  claimsRestart(workload: string): boolean {
    return this.annotation(workload, 'reroll.dev/last-restart') !== undefined;
  }

  /** The values that a field of a workload has had, oldest first, without consecutive repetitions. */
  values(workload: string, path: readonly string[]): readonly unknown[] {
    const { kind, name } = parse(workload);
    const values = this.#recorder.history(kind, this.namespace, name).map(({ object }) => fieldAt(object, path));
    return values.filter((value, index) => index === 0 || value !== values[index - 1]);
  }

  /** The last recorded state of each object of a kind. */
  all(kind: Kind): readonly JsonObject[] {
    return this.#recorder.ofNamespace(kind, this.namespace).map((history) => history.at(-1)?.object ?? {});
  }

  annotation(workload: string, key: string): unknown {
    return fieldAt(this.last(workload), ['metadata', 'annotations', key]);
  }

  async restarted(workload: string, times: number): Promise<void> {
    await this.until(`${workload} to be restarted ${times} times`, () => this.restarts(workload) >= times);
  }

  async recorded(workload: string): Promise<void> {
    await this.until(`a baseline on ${workload}`, () => this.annotation(workload, 'reroll.dev/baseline') !== undefined);
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    await pollUntil(`${what} in ${this.namespace}`, async () => await Promise.resolve(holds() ? true : undefined), {
      timeoutMs: 20_000,
    });
  }

  /** Whether any log message of the reconciler contains this text. */
  says(text: string): boolean {
    return this.#process().lines.some(({ message }) => message.includes(text));
  }

  /** Log messages of the reconciler about objects in this namespace. */
  log(level?: string): readonly string[] {
    return this.#process()
      .lines.filter((line) => level === undefined || line.level === level)
      .map(({ message }) => message)
      .filter((message) => message.includes(`${this.namespace}/`));
  }
}

function parse(workload: string): { readonly kind: Kind; readonly name: string } {
  const [kind = '', name = ''] = workload.split('/');
  return { kind: kindOf(kind), name };
}

function kindOf(kind: string): Kind {
  if (isKind(kind)) return kind;
  throw new Error(`no path is known for ${kind}`);
}

async function accepted(request: Promise<Answer>): Promise<void> {
  const { status, bytes } = await request;
  if (status >= 300) throw new Error(`${String(status)}: ${bytes.toString('utf8')}`);
}
