import { printable } from '../../shared/domain/text/printable';
import type { FoundObject } from '../manifests/manifests';
import { reportedObject } from '../manifests/report-parts';
import type { Advice } from './advice';
import { differenceCodes, type DifferenceCode } from './difference-codes';
import { differences } from './differences';
import type { MigrationSettings } from './migrate-options';
import type { ReportedDifference } from './migrate-report';
import { readMigrationSubject, type MigrationSources } from './migration-subject';
import type { RolloutRefs } from './rollout-refs';

/** What is known besides the object itself. */
export interface Surroundings {
  readonly settings: MigrationSettings;
  readonly sources: MigrationSources;
  readonly rolloutRefs: RolloutRefs;
}

export interface FoundDifference {
  readonly code: DifferenceCode;
  readonly advice: Advice;
}

/** What is different for a workload; undefined for an object that is none. */
export function differencesOf(
  object: FoundObject,
  { settings, sources, rolloutRefs }: Surroundings,
): readonly FoundDifference[] | undefined {
  const subject = readMigrationSubject(object, settings, sources, rolloutRefs);
  return (
    subject && differenceCodes.flatMap((code) => [...differences[code](subject)].map((advice) => ({ code, advice })))
  );
}

/** A difference as the report has it, without its place. All texts are fit to be shown. */
export function reportedDifference(
  object: FoundObject,
  code: DifferenceCode,
  { today, here, fix, edits }: Advice,
): ReportedDifference {
  return {
    ...{ code, today: printable(today), here: printable(here), fix: printable(fix) },
    edits: edits.map(({ action, under, line }) => ({ action, under: under.join('.'), line: printable(line) })),
    object: reportedObject(object),
  };
}
