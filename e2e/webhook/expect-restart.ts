import { expect } from '@jest/globals';
import type { ContractClient } from '../apiserver/contract/contract-client';
import type { LogEntry, RerollProcess } from '../reroll-process';
import type { App } from './app';
import { metricsOf, namespace } from './reroll-cluster';

/** How a change reaches the reconciler, by the names in `reroll_changes_total`. */
export type ChangePath = 'webhook' | 'watch' | 'both';

const paths: readonly ChangePath[] = ['webhook', 'watch', 'both'];

/** The longest that an edit may take: the 2 s that the API server waits for the webhook, and its own work. */
const maxEditMs = 3_500;

/**
 * Lets alice edit. Expects that the edit succeeds in time, that the Deployment is restarted once, by this path, and
 * that Event and log say why and, if the webhook saw the edit, by whom.
 */
export async function expectOneRestart(
  app: App,
  { alice, reconciler, path }: { readonly alice: ContractClient; readonly reconciler: RerollProcess; path: ChangePath },
): Promise<void> {
  const before = await changesByPath(reconciler);
  await app.restartsOnce(async () => {
    const startMs = performance.now();
    expect((await app.paint(alice, 'blue')).status).toBe(200);
    expect(performance.now() - startMs).toBeLessThan(maxEditMs);
  });
  const author = path === 'watch' ? '' : ' by alice (kubectl-edit)';
  const because = `ConfigMap ${app.name}: content changed (keys: color)${author}`;
  const event = await app.event();
  expect(event).toMatch(/ \(change [0-9a-f]{8}\)\. Deployment restarted/);
  expect(event.replace(/ \(change [0-9a-f]{8}\)/, '')).toContain(`${because}. Deployment restarted`);
  expect(await restartLine(reconciler, app)).toMatchObject({ because: [because], paths: [path] });
  expect(await changesByPath(reconciler)).toEqual({ ...before, [path]: (before[path] ?? 0) + 1 });
}

/** The log line about the restart of an app. */
export async function restartLine(reconciler: RerollProcess, { name }: App): Promise<LogEntry> {
  return await reconciler.line(({ message }) => message === `Deployment ${namespace}/${name} restarted`);
}

/** How many changes of sources the reconciler has answered, by the path on which they reached it. */
export async function changesByPath(reconciler: RerollProcess): Promise<Readonly<Record<string, number>>> {
  const metrics = await metricsOf(reconciler);
  return Object.fromEntries(paths.map((path) => [path, metrics.sum('reroll_changes_total', { path })]));
}
