import { agentConfig, appConfig, credentials } from './edits';
import { workloadsOf } from './restarts';
import { allRunNewest } from './rollout';
import type { Stage } from './stage';
import type { Ending } from './supervisor';
import { seconds } from './timeline';

const maxAttempts = 3;

/** Sends the reconciler SIGTERM, as a kubelet does, then checks the whole history once more. */
export async function playGracefulEnd(stage: Stage): Promise<void> {
  const { cluster, supervisor, timeline, checks } = stage;
  const ending = await endGracefully(stage);
  timeline.row('drained', `${seconds(ending?.tookMs ?? 0)} from SIGTERM to the end`);
  checks.equal('the reconciler ended with code 0', ending?.code, 0);
  checks.equal('its lease is free for another', cluster.leaseIsFree(), true);
  checks.equal(
    'in all: every change had its restarts, none a second one',
    workloadsOf(stage.restartsSince({ writes: 0 })),
    stage.owed,
  );
  for (const [app, source] of [
    ['web', appConfig],
    ['db', credentials],
    ['agent', agentConfig],
  ] as const) {
    await stage.until(() => allRunNewest(stage, app, source));
    checks.equal(
      `in all: every pod of ${app} runs with today's ${source.kind} ${source.name}`,
      allRunNewest(stage, app, source),
      true,
    );
  }
  timeline.row('processes', `${String(supervisor.starts)} reconcilers were started in all`, { tone: 'quiet' });
}

/** If somebody kills the process at that moment, starts another one and tries again. */
async function endGracefully(stage: Stage): Promise<Ending | undefined> {
  let ending: Ending | undefined;
  for (let attempt = 0; attempt < maxAttempts && ending?.code !== 0; attempt++) {
    stage.supervisor.start();
    await stage.quiet();
    ending = await stage.supervisor.terminate();
    if (ending?.signal === null) return ending;
  }
  return ending;
}
