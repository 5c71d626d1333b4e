import { setTimeout as delay } from 'node:timers/promises';
import { edit, type Edit } from './edits';
import type { Stage } from './stage';
import type { RunningSubject } from './subject';
import type { TemplateWatch } from './template-watch';

/** An edit, and when the last Deployment that it affects was seen with a new template. */
export interface Served extends Edit {
  readonly seenMs: number;
}

/** Edits a source and resolves when all these Deployments, by `namespace/name`, have a new template. */
export async function served(
  watch: TemplateWatch,
  deployments: readonly string[],
  change: () => Promise<Edit>,
): Promise<Served> {
  const [seenMs, times] = await Promise.all([watch.allChanged(deployments), change()]);
  return { ...times, seenMs };
}

/** After this time without an event of a Deployment, no write is outstanding. */
const quietMs = 2_000;
const firstTryMs = 1_000;
const firstTries = 60;

/**
 * Resolves once the subject has restarted `app-0` of the namespace for a change of `config-0` and everything is quiet.
 * Readiness is not proof: a subject reports it itself, and another implementation cannot be asked.
 */
export async function untilItServes(
  stage: Stage,
  running: RunningSubject,
  watch: TemplateWatch,
  namespace: string,
): Promise<void> {
  await running.ready();
  await watch.quiet(quietMs);
  const seen = watch.allChanged([`${namespace}/app-0`], firstTries * firstTryMs);
  const isSeen = seen.then(() => true);
  for (;;) {
    await edit(stage, 'configmaps', namespace, 'config-0');
    if (await Promise.race([isSeen, delay(firstTryMs, false)])) break;
  }
  await watch.quiet(quietMs);
}
