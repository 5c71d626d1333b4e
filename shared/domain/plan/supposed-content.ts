import { sourceKey, type DigestedSource } from '../sources/source';
import type { SourceView } from './source-view';

/** The same view, in which one source has another content now. Its past is as it was. */
export function supposedContent(view: SourceView, source: DigestedSource): SourceView {
  const key = sourceKey(source);
  return {
    get: (asked) => (sourceKey(asked) === key ? source : view.get(asked)),
    lastKnownFlags: (asked) => view.lastKnownFlags(asked),
    admittedSinceMs: (asked, bySearch) => view.admittedSinceMs(asked, bySearch),
    keysSinceMs: (asked) => view.keysSinceMs(asked),
    namesIn: (kind, namespace) => view.namesIn(kind, namespace),
    inForceAt: (asked, ...when) => view.inForceAt(asked, ...when),
    heldAtBirth: (asked, createdAtMs) => view.heldAtBirth(asked, createdAtMs),
    formerContent: (asked, whole) => view.formerContent(asked, whole),
    firstContent: (asked) => view.firstContent(asked),
    firstSeen: (asked) => view.firstSeen(asked),
  };
}
