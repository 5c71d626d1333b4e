import {
  contentFieldsOf,
  isSameContent,
  keyChanges,
  type KeyChanges,
} from '../../shared/domain/rollback/content-fields';
import { keptObjectName, unverifiedNote, type KeptKind, type KeptNote } from '../../shared/domain/rollback/kept-object';
import { whyNotRestorable } from '../../shared/domain/rollback/restorable';
import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObject, type KubeObject, type RequestLimits } from '../../shared/kube/client/objects';
import { sourceResources } from '../cluster/source-resources';
import { NoAnswerError } from '../cluster/silence';
import { look } from '../evidence/seen';

/** A source whose content somebody wants to put back. */
export interface RollbackTarget {
  readonly kind: KeptKind;
  readonly namespace: string;
  readonly name: string;
}

/** What can be put back. */
export interface Rollback {
  readonly source: KubeObject;
  readonly kept: KubeObject;
  readonly note: KeptNote;
  readonly keys: KeyChanges;
}

/** Or why nothing can. @throws NoAnswerError if it may not be read; KubeErrors */
export async function readRollback(
  client: KubeClient,
  { kind, namespace, name }: RollbackTarget,
  limits: RequestLimits,
): Promise<Rollback | string> {
  const title = `${kind} ${namespace}/${name}`;
  const read = async (object: string): Promise<KubeObject | undefined> => {
    const seen = await look(getObject(client, sourceResources[kind], namespace, object, limits));
    if (seen.is === 'hidden') throw new NoAnswerError(`${seen.right}, so nothing was changed`);
    return seen.is === 'there' ? seen.value : undefined;
  };
  const source = await read(name);
  if (!source) return `there is no ${title}`;
  const why = whyNotRestorable(source);
  if (why !== undefined) return `${title} ${why}`;
  const kept = await read(keptObjectName('good', source));
  const note = kept && unverifiedNote(kept);
  if (!kept || !note) {
    return `no content of ${title} is kept: Reroll keeps one with --rollback and ${gateAnnotations.onFailure}: keep, once all its users are healthy with it`;
  }
  const [from, to] = [contentFieldsOf(source), contentFieldsOf(kept)];
  if (isSameContent(from, to)) return `${title} has the content that was kept last`;
  return { source, kept, note, keys: keyChanges(from, to) };
}
