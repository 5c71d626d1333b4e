import type { AnnotationKeys } from '../annotations/annotations';
import { assertNever } from '../errors';
import type { SourceKind } from '../sources/source';
import type { DecisionReason } from './policy';
import { typedKeysOf } from './policy-annotations';

/** The annotation or flag that a decision about a source rests on; undefined if nothing asks for restarts. */
export function decidingRule(reason: DecisionReason, kind: SourceKind, keys: AnnotationKeys): string | undefined {
  const typed = typedKeysOf(keys)[kind];
  switch (reason) {
    case 'workload-kind-ignored':
      return '--ignored-workload-types';
    case 'source-ignored':
      return keys.ignore;
    case 'kind-left-out':
      return `${keys.match} or ${keys.kind}`;
    case 'excluded':
      return typed.exclude;
    case 'named':
      return typed.reload;
    case 'search-match':
      return `${keys.search} and ${keys.match}`;
    case 'auto':
      return keys.auto;
    case 'auto-typed':
      return typed.auto;
    case 'auto-reload-all':
      return '--auto-reload-all';
    case 'opted-out':
      return `${keys.auto} or ${typed.auto}`;
    case 'not-opted-in':
      return undefined;
    default:
      return assertNever(reason, 'reason of a decision');
  }
}
