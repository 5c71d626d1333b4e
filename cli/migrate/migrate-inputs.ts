import { printable } from '../../shared/domain/text/printable';
import type { Inputs } from '../manifests/inputs';
import { readManifestSet } from '../manifests/manifest-set';
import { ManifestSources } from '../manifests/manifest-sources';
import type { Manifest } from '../manifests/manifests';
import type { Advice } from './advice';
import type { DifferenceCode } from './difference-codes';
import { differencesOf, reportedDifference } from './object-differences';
import type { MigrateOptions } from './migrate-options';
import type { MigrateReport, ReportedDifference } from './migrate-report';
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
    const ofWorkload = differencesOf(manifest, { settings, sources, rolloutRefs });
    return ofWorkload ? [ofWorkload.map(({ code, advice }) => reported(manifest, code, advice))] : [];
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
  const line = (advice.at && manifest.lineOf(advice.at)) ?? manifest.line;
  return { ...reportedDifference(manifest, code, advice), file: printable(manifest.file), line };
}
