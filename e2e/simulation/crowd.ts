import type { ApiServer } from '../apiserver/api-server';
import { configMap, deployment, envFromKey, fromConfigMap, seed } from '../apiserver/cluster';
import type { Annotating } from './annotating-users';
import type { Crowd } from './crowd-world';
import type { Draw } from './draw';
import { crowdSource, type Place } from './places';
import type { Reconcilers } from './reconcilers';
import type { Labelling } from './selecting-users';
import type { Users } from './users';

const namespace = 'default';
const app: Place = { kind: 'ConfigMap', namespace, name: 'app' };
const auto = { 'reloader.stakater.com/auto': 'true' };
/** How many of the additional sources each workload uses. */
const each = 2;

export function isOfCrowd(name: string): boolean {
  return name.startsWith('user-');
}

/** Creates, before the story begins, many sources, and many workloads that all use `app`. */
export function settleCrowd(
  server: ApiServer,
  { sources, users }: Crowd,
  labelling: Labelling,
  annotating: Annotating,
): void {
  for (let index = 0; index < sources; index++) {
    const [labels, annotations] = [labelling.ofSource(), annotating.ofSource()];
    const said = { ...(labels && { labels }), ...(annotations && { annotations }) };
    const data = { color: `value-crowd-${String(index)}-`, size: 'small' };
    seed(server, configMap({ name: crowdSource(index).name, namespace, data, ...said }));
  }
  for (let index = 0; index < users; index++) {
    const [whole, part] = [crowdSource(index * each).name, crowdSource(index * each + 1).name];
    const uses = {
      envFrom: [fromConfigMap('app', true), fromConfigMap(whole, true)],
      env: [envFromKey('ConfigMap', part, 'color', 'PART')],
    };
    seed(server, deployment({ name: `user-${String(index)}`, namespace, annotations: auto, ...uses }));
  }
}

interface Stage {
  readonly users: Users;
  readonly replicas: Reconcilers;
  readonly compact: () => void;
  readonly later: (delayMs: number, run: () => void) => void;
}

/** The longest wait for sources to settle, and the shortest break that ends it. */
const [settleMaxMs, settleMs] = [10_000, 1_000];

/** The actions of large worlds. */
export const crowdActions = {
  'edit-for-everybody': ({ users }: Stage, draw: Draw) => users.editSource(app, draw),
  /** Edits sources that are used, and some that nobody uses. */
  'edit-many': ({ users, later }: Stage, draw: Draw) => {
    for (let left = draw.int(20, 60); left > 0; left--) {
      const source = crowdSource(draw.int(0, 150));
      later(draw.int(0, 3_000), () => users.editSource(source, draw));
    }
  },
  'edit-for-longer-than-settling': ({ users, later }: Stage, draw: Draw) => {
    const source = draw.chance(0.5) ? app : crowdSource(draw.int(0, 20) * each);
    for (let atMs = 0; atMs < settleMaxMs + 5_000; atMs += draw.int(300, settleMs - 300)) {
      later(atMs, () => users.editSource(source, draw));
    }
  },
  /** The changes made during the partition arrive in a list of several pages. */
  'list-the-crowd-anew': ({ users, replicas, compact, later }: Stage, draw: Draw) => {
    const backMs = draw.int(6_000, 12_000);
    for (const index of [0, 1]) replicas.partition(index, backMs);
    for (let left = draw.int(5, 30); left > 0; left--) {
      later(draw.int(0, backMs), () => users.editSource(crowdSource(draw.int(0, 150)), draw));
    }
    later(backMs - 1, compact);
  },
};
