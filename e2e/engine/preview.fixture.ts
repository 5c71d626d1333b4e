import type { ClusterWorld } from '../../cli/cluster/cluster-command';
import { memoryFiles } from '../../cli/manifests/manifests.fixture';
import { previewCommandIn } from '../../cli/preview/preview-command';
import { zeroRandom } from '../../shared/kube/client/client.fixture';
import { stringify } from 'yaml';
import { deployment, envFromKey, fromConfigMap, fromSecret, secret, statefulSet } from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { clusterOf, rerollDeployment, runAgainst, type Answering, type Run } from './asking.fixture';
import type { Engine, Harness } from './harness';
import { app, auto, running, web, type Situation } from './situations.fixture';

/** A shop whose workloads use a ConfigMap and a Secret, and somebody who asks what a change would restart. */

const exclude = 'configmaps.exclude.reloader.stakater.com/reload';
export const db = secret({ name: 'db', data: { password: 'hunter2', url: 'db:5432' } });
export const api = deployment({ name: 'api', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] });
const calm = deployment({ name: 'calm', envFrom: [fromConfigMap('app')], annotations: { ...auto, [exclude]: 'app' } });
const store = statefulSet({ name: 'store', annotations: auto, envFrom: [fromSecret('db')] });
export const silent = deployment({ name: 'silent', envFrom: [fromConfigMap('app')] });
export const shop = [app, db, web, api, calm, store, silent];

export type Situated = readonly [Harness, Engine];
export type Texts = Readonly<Record<string, string | Uint8Array | undefined>>;

export async function situated(
  objects: readonly ObjectInput[] = shop,
  settings: Situation['settings'] = {},
): Promise<Situated> {
  return await running({ objects: [...objects, rerollDeployment(settings)], settings, answer: {} });
}

export const yaml = (...objects: readonly object[]): string =>
  objects.map((object) => `${stringify(object)}---\n`).join('');

/** Runs the command with these files; `-` is standard input. */
export async function preview(
  [harness, engine]: Situated,
  args: readonly string[],
  { answering = 'leader', files = {} }: { readonly answering?: Answering; readonly files?: Texts } = {},
): Promise<Run> {
  const more = { files: memoryFiles(files), random: zeroRandom };
  const command = { name: 'preview', loadIn: (world: ClusterWorld) => previewCommandIn({ ...world, ...more }) };
  return await runAgainst(clusterOf(harness, engine, answering), harness, command, args);
}

export const firstLine = ({ out }: Run): string => out.split('\n')[0] ?? '';
