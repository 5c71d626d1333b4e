import { printable } from '../../shared/domain/text/printable';
import type { Inputs } from '../manifests/inputs';
import { readManifestSet } from '../manifests/manifest-set';
import { ManifestSources } from '../manifests/manifest-sources';
import type { Manifest } from '../manifests/manifests';
import { reportedObject } from '../manifests/report-parts';
import type { Advice } from './advice';
import { differenceCodes, type DifferenceCode } from './difference-codes';
import { differences } from './differences';
import type { MigrateOptions } from './migrate-options';
import type { MigrateReport, ReportedDifference } from './migrate-report';
import { readMigrationSubject } from './migration-subject';
import { readRolloutRefs } from './rollout-refs';

/** Finds what is different for the workloads of all files. */
export function migrateInputs(
  inputs: Inputs,
  { namespace, settings }: Pick<MigrateOptions, 'namespace' | 'settings'>,
): MigrateReport {
  const { manifests, errors } = readManifestSet(inputs, namespace);
  const sources = new ManifestSources(manifests, settings);
  const rolloutRefs = readRolloutRefs(manifests, settings);
  const found = manifests.flatMap((manifest) => {
    const subject = readMigrationSubject(manifest, settings, sources, rolloutRefs);
    if (!subject) return [];
    const ofWorkload = differenceCodes.flatMap((code) =>
      [...differences[code](subject)].map((advice) => reported(manifest, code, advice)),
    );
    return [ofWorkload];
  });
  const findings = found.flat();
  const summary = {
    ...{ files: inputs.inputs.length, objects: manifests.length, workloads: found.length },
    ready: found.filter((ofWorkload) => ofWorkload.length === 0).length,
    ...{ findings: findings.length, errors: errors.length },
  };
  return { version: 1, summary, findings, errors: [...errors] };
}

function reported(manifest: Manifest, code: DifferenceCode, advice: Advice): ReportedDifference {
  const { at, today, here, fix, edits } = advice;
  return {
    ...{ code, today: printable(today), here: printable(here), fix: printable(fix) },
    edits: edits.map(({ action, under, line }) => ({ action, under: under.join('.'), line: printable(line) })),
    object: reportedObject(manifest),
    ...{ file: printable(manifest.file), line: (at && manifest.lineOf(at)) ?? manifest.line },
  };
}
