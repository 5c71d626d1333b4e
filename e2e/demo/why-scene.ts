import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { ask, type Answer } from './ask';
import { rerollPodName } from './reroll-pod';
import { namespace } from './shop';
import { person } from './shop-cluster';
import type { Stage } from './stage';

const maxAttempts = 3;

/** The cause, the state, and who says so. What follows is wider than the timeline. */
const shownLines = 3;

const leaderLine = `as the leader ${rerollPodName} says`;

/** A new process leads, and a person asks it about a workload that restarted, and about one that did not. */
export async function playWhy(stage: Stage): Promise<void> {
  const { supervisor, checks, cluster } = stage;
  supervisor.start();
  const web = await askWhy(stage, 'deployment/web');
  const { id, cause } = notedRestart(cluster.workload('Deployment web').metadata.annotations);
  checks.equal('the leader says for which change web was restarted', web, {
    code: 0,
    lines: [`restarted … because ${cause}`, `Deployment shop/web: in step, last restart … (${id})`, leaderLine],
    err: '',
  });
  const picky = await askWhy(stage, 'deployment/picky');
  const exclusion = 'configmaps.exclude.reloader.stakater.com/reload on the workload excludes it';
  checks.equal('the leader says what keeps picky from restarting', picky, {
    code: 0,
    lines: [
      `does not restart for ConfigMap app-config: ${exclusion}`,
      'Deployment shop/picky: in step, no restart so far',
      leaderLine,
    ],
    err: '',
  });
  await supervisor.stop();
}

/** What is shown of an answer, without the times in it. */
interface Shown {
  readonly code: number;
  readonly lines: readonly string[];
  readonly err: string;
}

/** Asks, and shows the command and the first lines of the answer. If somebody kills the process meanwhile, asks again. */
async function askWhy(stage: Stage, workload: string): Promise<Shown> {
  const args = ['why', workload, '-n', namespace];
  const { code, out, err } = await answerTo(stage, args);
  const lines = out
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, shownLines);
  stage.timeline.row(`${person.name} asks`, `reroll ${args.join(' ')}`, { tone: 'warning' });
  stage.timeline.row('answer', lines.join('\n'));
  return { code, lines: lines.map(withoutTimes), err };
}

async function answerTo(stage: Stage, args: readonly string[]): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    await stage.quiet();
    const mark = stage.mark();
    const answer = await ask(stage.personKubeconfig, args);
    if (attempt === maxAttempts || !stage.respawnedSince(mark)) return answer;
  }
}

/** Without how the restart ended, too: that takes as long as its pods take. */
function withoutTimes(line: string): string {
  return line.replaceAll(/just now|\d+ (?:second|minute)s? ago/g, '…').replace(/\(([0-9a-f]{8}), [a-z]+\)/, '($1)');
}

interface NotedRestart {
  readonly id: string;
  /** In the words of the answer. */
  readonly cause: string;
}

/** The last restart by the annotation, in which a process that died at that moment may have noted less. */
function notedRestart(annotations: Readonly<Record<string, string>> = {}): NotedRestart {
  const { id, sources, by } = JSON.parse(annotations[ownAnnotations.lastRestart] ?? '{}') as {
    readonly id: string;
    readonly sources: Readonly<Record<string, readonly string[] | null>>;
    readonly by?: readonly string[];
  };
  const keys = sources['cm/app-config'];
  const what = `${keys ? `key ${keys.join(' and ')} of ` : ''}ConfigMap app-config`;
  return { id, cause: by === undefined ? `${what} changed` : `${by.join(' and ')} changed ${what}` };
}
