import { hash } from 'node:crypto';
import { absent } from './content-digest';
import { hasContent, sourceKey, type SourceRecord, type SourceRef } from './source';

/** Length of the id of a change: as long as that of a restart, and short enough to be read aloud. */
const changeIdLength = 8;

/** Keeps the ids apart from every other hash of the same texts. */
const domain = 'reroll change id';

/**
 * The id of a change: of the content that it brought, in the object that has it. The webhook and every reconciler
 * compute the same id, each from what it sees itself, so it leads from admission to the restart, also after a change of
 * leader. `digest` is {@link ContentDigest.whole}, which is keyed, so the id tells nothing about the content.
 */
export function changeId(uid: string, digest: string): string {
  return hash('sha256', [domain, uid, digest].join('\0'), 'hex').slice(0, changeIdLength);
}

/** The id of a deletion. The object and its uid are gone, so deletions of one name have the same id. */
export function deletionId(source: SourceRef): string {
  return changeId(sourceKey(source), absent);
}

/** The id of what a source holds now, or of its deletion; undefined: its content was not read yet. */
export function currentChangeId(source: SourceRef, record: SourceRecord | undefined): string | undefined {
  if (!record) return deletionId(source);
  return hasContent(record) ? changeId(record.uid, record.content.whole()) : undefined;
}
