import type { KubeObject } from '../apiserver/objects';
import type { Draw } from './draw';
import { drawShared, say, type Stage } from './pace-actions';
import { workloads } from './places';

/** Pods that read a source with this annotation do not become ready. */
const breaking = 'simulation.test/breaks';

/** Whether pods cannot become ready with what they read of a source. */
export function isBreaking(source: KubeObject | undefined): boolean {
  return source?.metadata.annotations?.[breaking] === 'true';
}

/** A change that reaches one user first. */
export const stageActions = {
  'change-to-bad': (stage: Stage, draw: Draw) => {
    const source = drawShared(stage.users, draw);
    say(stage.users, source, breaking, 'true');
    stage.later(draw.int(10, 800), () => stage.users.editSource(source, draw));
    if (!draw.chance(0.5)) return;
    const goodMs = draw.int(5_000, 40_000);
    stage.later(goodMs, () => say(stage.users, source, breaking, undefined));
    stage.later(goodMs + draw.int(10, 800), () => stage.users.editSource(source, draw));
  },
  'change-in-stages': (stage: Stage, draw: Draw) => {
    const source = drawShared(stage.users, draw);
    for (let left = draw.int(1, 3), atMs = 0; left > 0; left--, atMs += draw.int(500, 15_000)) {
      stage.later(atMs, () => stage.users.editSource(source, draw));
    }
  },
  'name-canary': (stage: Stage, draw: Draw) => {
    for (const workload of draw.some(workloads, 0.3)) {
      say(stage.users, workload, 'reroll.dev/canary', draw.pick(['true', 'true', 'false', 'yes']));
    }
    stage.users.editSource(drawShared(stage.users, draw), draw);
  },
  'change-and-take-over': (stage: Stage, draw: Draw) => {
    stage.users.editSource(drawShared(stage.users, draw), draw);
    const index = draw.int(0, 1);
    stage.later(draw.int(1_000, 9_000), () => stage.replicas.crash(index, draw.pick([draw.int(0, 4_000), 30_000])));
  },
} as const;
