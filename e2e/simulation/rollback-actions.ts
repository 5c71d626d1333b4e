import { withValueAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { Draw } from './draw';
import { gateKeys } from './gate-annotations';
import { drawShared, say, type Stage } from './pace-actions';
import { sources, type Place } from './places';

/** Pods do not become ready with the content that this annotation holds. What is put back breaks nobody. */
const breaksWith = 'simulation.test/breaks-with';
const onFailure = 'reroll.dev/on-failure';
const rolledBack = 'reroll.dev/rolled-back';

/** Whether pods cannot become ready with the content that a source has now. */
export function hasBreakingContent(source: KubeObject | undefined): boolean {
  const content = source?.metadata.annotations?.[breaksWith];
  return content !== undefined && content === JSON.stringify(source?.['data']);
}

/** A change that is to be put back. */
export const rollbackActions = {
  'ask-for-rollback': ({ users }: Stage, draw: Draw) => {
    for (const source of draw.some(sources, 0.7)) {
      say(users, source, onFailure, draw.pick(['rollback', 'rollback', 'rollback', 'keep', 'stop', undefined]));
    }
  },
  'break-and-write-again': (stage: Stage, draw: Draw) => {
    const source = drawShared(stage.users, draw);
    askAndBreak(stage, source, draw, (bad) => {
      for (let left = draw.int(1, 4), atMs = 15_000; left > 0; left--) {
        atMs += draw.int(3_000, 30_000);
        const forgets = draw.chance(0.5);
        stage.later(atMs, () => {
          if (forgets) say(stage.users, source, rolledBack, undefined);
          stage.users.writeSource(source, bad);
        });
      }
    });
  },
  'break-and-take-over': (stage: Stage, draw: Draw) => {
    askAndBreak(stage, drawShared(stage.users, draw), draw, () => {
      const index = draw.int(0, 1);
      for (let left = draw.int(1, 4); left > 0; left--) {
        stage.later(draw.int(0, 40_000), () => stage.replicas.crash(index, draw.int(0, 8_000)));
      }
    });
  },
  /** Somebody wants to look at what is broken, and nothing to change meanwhile. */
  'break-and-hold': (stage: Stage, draw: Draw) => {
    const source = drawShared(stage.users, draw);
    const bearer = draw.pick([source, { kind: 'Namespace', namespace: '', name: source.namespace }]);
    askAndBreak(stage, source, draw, () => {
      stage.later(draw.int(0, 9_000), () => say(stage.users, bearer, gateKeys.hold, 'true'));
      if (!draw.chance(0.5)) return;
      stage.later(draw.int(30_000, 60_000), () => say(stage.users, bearer, gateKeys.hold, undefined));
    });
  },
  'write-beside': ({ users, later }: Stage, draw: Draw) => {
    const source = drawShared(users, draw);
    for (let left = draw.int(2, 10); left > 0; left--) {
      later(draw.int(0, 40_000), () => say(users, source, 'simulation.test/seen', String(draw.int(0, 1_000))));
    }
  },
} as const;

/** Nobody opens the gate for what was put back: somebody does, when the story is over. */
export function forgetRollbacks({ users }: Pick<Stage, 'users'>): void {
  for (const source of sources) {
    if (users.object(source)?.metadata.annotations?.[rolledBack] !== undefined)
      say(users, source, rolledBack, undefined);
  }
}

/** Some time later, when the content may be kept. */
function askAndBreak(
  { users, later }: Stage,
  source: Place,
  draw: Draw,
  then: (bad: Readonly<Record<string, string>>) => void,
): void {
  say(users, source, onFailure, 'rollback');
  later(draw.int(20_000, 40_000), () => {
    // Many use some keys only.
    for (let edits = 0; edits < 4; edits++) users.editSource(source, draw);
    users.edits.change(source, 'break everybody with', (current) =>
      withValueAt(current, ['metadata', 'annotations', breaksWith], JSON.stringify(current['data'])),
    );
    later(1_000, () => {
      const bad = users.contentOf(source);
      if (bad) then(bad);
    });
  });
}
