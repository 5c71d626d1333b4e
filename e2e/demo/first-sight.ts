import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { workloadsOf } from './restarts';
import { workloadsWithBaseline } from './shop';
import type { Stage } from './stage';

/** The reconciler sees the shop for the first time: it records baselines and restarts nothing. */
export async function playFirstSight(stage: Stage): Promise<void> {
  const { cluster, supervisor, timeline, checks } = stage;
  const withBaseline = (): readonly string[] =>
    cluster
      .workloads()
      .filter(({ metadata }) => metadata.annotations?.[ownAnnotations.baseline] !== undefined)
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      .sort();
  // Each process logs the warnings again, and the first process may have been killed by now.
  const warnings = (): readonly string[] => [
    ...new Set(
      supervisor.lines.flatMap(({ level, message }) =>
        level === 'warn' && message.includes(': annotation ') ? [message] : [],
      ),
    ),
  ];
  await stage.until(() => withBaseline().length >= workloadsWithBaseline.length && warnings().length > 0);
  await stage.quiet();
  timeline.row('recorded', withBaseline().join(', '));
  for (const warning of warnings()) timeline.row('warned', warning, { tone: 'warning' });
  checks.equal(
    'every workload with a source to be restarted for has a baseline',
    withBaseline(),
    workloadsWithBaseline,
  );
  checks.equal('nothing was restarted', workloadsOf(stage.restartsSince({ writes: 0 })), []);
  checks.equal('one annotation that cannot be meant was warned about', warnings().length, 1);
}
