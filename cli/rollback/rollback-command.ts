import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import { formatRolledBack, parseRolledBack, withRolledBack } from '../../shared/domain/gate-settings/rolled-back';
import { contentFieldsOf, contentPatch, type KeyChanges } from '../../shared/domain/rollback/content-fields';
import { printable } from '../../shared/domain/text/printable';
import { patchObject } from '../../shared/kube/client/objects';
import { ConflictError } from '../../shared/kube/errors';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { askSource } from '../cluster/ask-about';
import {
  clusterCommandIn,
  worldOf,
  type ClusterCommand,
  type ClusterWorld,
  type Session,
} from '../cluster/cluster-command';
import { contentNamed } from '../cluster/object-names';
import { withProgress } from '../cluster/progress';
import { sourceResources } from '../cluster/source-resources';
import { withoutMs } from '../../shared/domain/text/without-ms';
import { enumerated } from '../output/phrases';
import type { HoldObject } from '../pause/hold-target';
import { refused, reportOutcome, type Outcome } from '../pause/outcome';
import { allowed, fieldManager } from '../pause/write-hold';
import { askPerson } from './ask-person';
import { readRollback, type Rollback, type RollbackTarget } from './read-rollback';
import type { RolledBack } from './rollback-report';
import { rollbackOptionTable, type RollbackOptions } from './rollback-options';

export interface RollbackWorld extends ClusterWorld {
  /** Asks the person, and returns the line; undefined: nobody is there to ask. @throws InterruptedError */
  readonly ask: (question: string) => Promise<string | undefined>;
}

type RollbackSession = Session<RollbackOptions>;
type Ask = RollbackWorld['ask'];

function commandAsking(ask: Ask): ClusterCommand<typeof rollbackOptionTable, Omit<RollbackTarget, 'namespace'>> {
  return {
    name: 'rollback',
    takes: 'KIND/NAME',
    names: ['source'],
    options: rollbackOptionTable,
    writes: true,
    bad: 'nothing was changed: no content is kept, it is the same, or you said no',
    examples: `  reroll rollback configmap/app -n shop
  reroll rollback secret/db --dry-run
  kubectl reroll rollback secret/db --yes`,
    question: (positional) =>
      contentNamed(positional, 'SecretProviderClass has no content of its own to put back: use ConfigMap, Secret'),
    answer: async (session, { kind, name }) => {
      const target = { kind, namespace: session.cluster.namespace, name };
      const object: HoldObject = { ...target, resource: sourceResources[kind] };
      return await reportOutcome(session, object, await rollBack(session, target, ask));
    },
  };
}

async function rollBack(session: RollbackSession, target: RollbackTarget, ask: Ask): Promise<Outcome<RolledBack>> {
  const { world, cluster, options } = session;
  const found = await withProgress(
    world,
    'reading what is kept',
    async () => await readRollback(cluster.client, target, { timeoutMs: options.timeoutMs }),
  );
  if (typeof found === 'string') return refused(found);
  const { kind, namespace, name } = target;
  const title = `${kind} ${namespace}/${name}`;
  const { change, at } = found.note;
  const lines = [`content of change ${change}, kept at ${withoutMs(at)}`, ...keyLines(found.keys)];
  if (!options.yes && !options.dryRun) {
    // It was kept under a key that only the reconciler has, so nobody else can tell who wrote it.
    const warning = `Whoever may create a ${kind} in namespace ${namespace} may have made it: look at ${kind} ${found.kept.metadata.name} if in doubt`;
    const answer = await ask(
      `${[title, ...lines, warning].map((line) => printable(line)).join('\n')}\nPut it back? [y/N] `,
    );
    if (answer === undefined) return refused(`${title} was left as it is: nobody is there to ask, so use --yes`);
    if (!/^y(es)?$/i.test(answer.trim())) return refused(`${title} was left as it is`);
  }
  let stages: string | undefined;
  try {
    stages = await withProgress(world, 'putting it back', async () => await putBack(session, target, found));
  } catch (thrown) {
    if (thrown instanceof ConflictError) return refused(`${title} was changed meanwhile, so it was left: look again`);
    throw thrown;
  }
  const says = options.dryRun
    ? `${title} would have the content that was kept`
    : `${title} has the content that was kept`;
  return {
    lines: [
      says,
      ...lines,
      ...(stages === undefined ? [] : [`change ${stages} restarts nothing if it is written again`]),
    ],
    isBad: false,
    report: {
      changed: !options.dryRun,
      change,
      keptAt: at,
      keys: found.keys,
      ...(stages !== undefined && { rolledBack: stages }),
    },
  };
}

/** @example ['changed: color and size', 'removed: motd'] */
function keyLines({ added, removed, changed }: KeyChanges): readonly string[] {
  const named = { changed, added, removed };
  return Object.entries(named).flatMap(([what, keys]) => (keys.length === 0 ? [] : [`${what}: ${enumerated(keys)}`]));
}

/** The id of the change for which users of the source wait; undefined: none, or the leader does not say. */
async function readChange({ cluster }: RollbackSession, source: RollbackTarget): Promise<string | undefined> {
  const told = await askSource(cluster, source);
  return told.silence ? undefined : told.said.stages?.change;
}

/** Returns the id of the change for which users of the source wait. */
async function putBack(session: RollbackSession, target: RollbackTarget, found: Rollback): Promise<string | undefined> {
  const change = await readChange(session, target);
  await allowed(write(session, target, found, change));
  return change;
}

/** Writes that version of the source, and no other. */
async function write(
  { cluster: { client }, options: { dryRun, timeoutMs } }: RollbackSession,
  { kind, namespace, name }: RollbackTarget,
  { source, kept, note }: Rollback,
  change: string | undefined,
): Promise<void> {
  const { uid, resourceVersion, annotations = {} } = source.metadata;
  const before = parseRolledBack(annotations[gateAnnotations.rolledBack] ?? '') ?? [];
  const patch = {
    metadata: {
      ...{ uid, resourceVersion },
      ...(change !== undefined && {
        annotations: { [gateAnnotations.rolledBack]: formatRolledBack(withRolledBack(before, change), note.change) },
      }),
    },
    ...contentPatch(contentFieldsOf(source), contentFieldsOf(kept)),
  };
  await patchObject(client, sourceResources[kind], namespace, name, patch, {
    ...{ timeoutMs, dryRun, fieldManager, type: 'merge' },
  });
}

/** `reroll rollback`: puts the last content back with which all users of a source were healthy. */
export function rollbackCommand(process: NodeJS.Process): LoadedCommand {
  return rollbackCommandIn({ ...worldOf(process), ask: async (question) => await askPerson(process, question) });
}

/** The same, with the cluster, the streams and the person passed in. */
export function rollbackCommandIn(world: RollbackWorld): LoadedCommand {
  return clusterCommandIn(commandAsking(world.ask), world);
}
