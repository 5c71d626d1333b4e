import { join } from 'node:path';
import type { Target } from './target';

/** Every parser of untrusted bytes, by the name of its file in `targets`. A new parser is a new row. */
export const targets: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'admission-review': 'the body of a review, its uid, and the answer',
    'admission-capture': 'the change record that is made of a review',
    'admission-answers': 'warnings and patches for a review',
    'change-batch': 'change records on the channel',
    preview: 'what a change would restart: question and answer',
    marks: 'what a write is to record: question and answer',
    lint: 'what is wrong with a workload: question and findings',
    'watch-json': 'frames and events of a watch in JSON, split at every byte',
    'watch-protobuf': 'frames and events of a watch in protobuf, split at every byte',
    'watch-event-protobuf': 'events, envelopes and objects in protobuf',
    'watch-stream': 'a whole watch, in chunks',
    'list-json': 'a list in JSON, split at every byte',
    'list-protobuf': 'a list in protobuf, split at every byte',
    'source-json': 'a ConfigMap or Secret in JSON',
    baseline: 'the baseline on a workload',
    'carry-over': 'what an update would take away from a workload',
    workload: 'a workload of each kind',
    annotations: 'each annotation of a workload or source',
    'named-list': 'a list of names and patterns',
    'key-filter': 'a list of keys',
    'search-pattern': 'a pattern of a schema',
    selector: 'a label selector',
    duration: 'a duration',
    references: 'what a pod template uses',
    csi: 'objects of the CSI driver',
    'job-journal': 'the entry of a Job that is created again',
    'kept-content': 'a content that is kept beside a source',
    'webhook-token': 'the tokens of the webhook',
    certificates: 'the Secret with the certificates',
    status: "a server's account of a failure",
    kubeconfig: 'a kubeconfig',
    'content-json': 'content of users: JSON',
    'content-yaml': 'content of users: YAML',
    'content-toml': 'content of users: TOML',
    'content-lines': 'content of users: properties and variables',
    'canonical-forms': 'content of users, compared parsed',
    'json-schema': 'content of users, compared with a schema',
    manifests: 'manifests that reroll lint and reroll migrate read',
    'csv-record': 'the value of a list flag',
    options: 'flags and variables',
    'listen-address': 'the address of a server',
    'inspection-question': 'the path of a question to the reconciler',
    'history-segment': 'a part of the history of restarts, from a ConfigMap',
    'query-answer': 'what Prometheus answers to a health check',
    'web-socket-frames': 'what an API server sends on a forwarded port',
  }),
);

/** The file of a target, as a path from the project root. */
export function entryOf(name: string): string {
  return join('e2e', 'fuzz', 'targets', `${name}.ts`);
}

export async function loadTarget(name: string): Promise<Target> {
  const { target } = (await import(`./targets/${name}`)) as { readonly target: Target };
  return target;
}
