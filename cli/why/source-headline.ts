import { plural } from '../../shared/domain/lint/lint-subject';
import { sourceId, sourceKinds, type LocalSourceRef } from '../../shared/domain/sources/source';
import type { SourceAccount } from '../evidence/account';
import { headline, titleOf, type Headline, type TrackedCase } from './case';
import { comparedHeadline } from './compared-headline';

/** Why a source does not restart the workload; undefined: it does, and another headline tells when. */
export function sourceHeadline(about: TrackedCase, source: SourceAccount): Headline | undefined {
  if (source.restarts) return undefined;
  const why = whyNotCounted(about, source);
  return why === undefined
    ? comparedHeadline(about, source)
    : headline(`does not restart for ${titleOf(source)}: ${why}`);
}

/** A source that the workload has nothing to do with. */
export function strangerHeadline({ namespace, sources }: TrackedCase, source: LocalSourceRef): Headline {
  const isAbsent = sources.get(sourceId(source))?.is === 'absent';
  const where = isAbsent ? `, and there is no such ${source.kind} in namespace ${namespace}` : '';
  return headline(`does not restart for ${titleOf(source)}: it neither uses nor lists it${where}`);
}

/** The decision against a source, whatever it holds; undefined: it counts. */
export function whyNotCounted(
  { install: { settings }, facts }: Pick<TrackedCase, 'install' | 'facts'>,
  { decision, rule = '', kind, why }: SourceAccount,
): string | undefined {
  const known = sourceKinds.find((each) => each === kind);
  const all = known ? plural(known) : kind;
  switch (decision) {
    case 'named':
    case 'search-match':
    case 'auto':
    case 'auto-typed':
    case 'auto-reload-all':
      return undefined;
    case 'source-ignored':
      return `the ${kind} is annotated ${settings.keys.ignore}: "true"`;
    case 'excluded':
      return `${rule} on the workload excludes it`;
    case 'kind-left-out':
      return `${rule} on the workload leaves ${all} out`;
    case 'opted-out':
      return `${rule} on the workload switches restarts off`;
    case 'not-watched': {
      const csi = kind === 'SecretProviderClass';
      const flag = csi ? '--enable-csi-integration is off' : '--resources-to-ignore leaves them out';
      return `Reroll does not watch ${all}: ${flag}, or it is not allowed to list them`;
    }
    case 'not-opted-in':
      return known && facts?.record.policy[known].search === true
        ? `the workload searches, and the ${kind} is not annotated ${settings.keys.match}: "true"`
        : 'nothing on the workload asks for it';
    default:
      return why;
  }
}
