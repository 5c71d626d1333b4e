import { arrayAt, objectAt, withValueAt, type JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { writeBy } from '../apiserver/registry';
import { baselineAnnotation } from './baseline-text';
import type { Draw } from './draw';
import { isRolled, workloads } from './places';
import type { Reconcilers } from './reconcilers';
import type { Users } from './users';

interface Stage {
  readonly users: Users;
  readonly replicas: Reconcilers;
  readonly later: (delayMs: number, run: () => void) => void;
}

export const olderVersion = 'older-version';
export const reloader = 'reloader';

/** Leaves what ran before today's version: an older version of Reroll, and Reloader. */
export const upgradeActions = {
  /** When today's version starts, the workloads carry the baselines that an older version would have written. */
  upgrade: ({ users, replicas, later }: Stage, draw: Draw) => {
    const downMs = draw.int(1_000, draw.pick([3_000, 20_000]));
    for (const index of [0, 1]) replicas.crash(index, downMs);
    // Gives requests in flight time to arrive.
    later(draw.int(500, 900), () => {
      for (const workload of workloads) {
        if (!users.object(workload)) continue;
        const as = writeBy(olderVersion, olderVersion, 'update');
        users.edits.change(workload, 'write as an older version would', withoutUid, as);
      }
    });
    const source = users.usedSource(draw);
    if (draw.chance(0.7)) later(draw.int(0, downMs + 2_000), () => users.editSource(source, draw));
  },
  /** Restarts workloads in either of Reloader's two ways. The traces say nothing about the current content. */
  'leave-traces-of-reloader': ({ users }: Stage, draw: Draw) => {
    for (const workload of workloads) {
      if (!isRolled(workload) || !users.object(workload)) continue;
      const trace = draw.chance(0.6) ? withVariable : withAnnotation;
      users.edits.change(workload, 'restart', trace, writeBy(reloader, reloader, 'update'));
    }
  },
};

function withoutUid(object: KubeObject): JsonObject {
  const text = object.metadata.annotations?.[baselineAnnotation];
  const older = text?.replace(/"uid":"[^"]*",/, '');
  return withValueAt(object, ['metadata', 'annotations', baselineAnnotation], older);
}

function withVariable(object: KubeObject): JsonObject {
  const [container = {}, ...others] = arrayAt(object, 'spec', 'template', 'spec', 'containers');
  const trace = { name: 'STAKATER_APP_CONFIGMAP', value: 'b5a4d6b8a9b5a1c6a1b0e6f6f1d6c5a4e3b2d1c0' };
  const env = [...arrayAt(container, 'env'), trace];
  return withValueAt(object, ['spec', 'template', 'spec', 'containers'], [{ ...objectAt(container), env }, ...others]);
}

function withAnnotation(object: KubeObject): JsonObject {
  const at = ['spec', 'template', 'metadata', 'annotations', 'reloader.stakater.com/last-reloaded-from'];
  const from = {
    type: 'CONFIGMAP',
    name: 'app',
    namespace: object.metadata.namespace ?? '',
    hash: 'b5a4d6b8',
    containerRefs: ['app'],
  };
  return withValueAt(object, at, JSON.stringify(from));
}
