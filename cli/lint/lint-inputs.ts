import { annotation, annotationsOf, ownAnnotations } from '../../shared/domain/annotations/annotations';
import { defaultTemplatePath } from '../../shared/domain/kubernetes/workload-kinds';
import type { LocalWorkloadName } from '../../shared/domain/gate-settings/restart-order';
import { noKnownSources } from '../../shared/domain/lint/known-sources';
import { bearerOf, readLintSubject } from '../../shared/domain/lint/lint-subject';
import { lintWorkload, type LintFinding } from '../../shared/domain/lint/lint-workload';
import { printable } from '../../shared/domain/text/printable';
import type { Inputs } from '../manifests/inputs';
import { ManifestSources } from '../manifests/manifest-sources';
import { ManifestWorkloads } from '../manifests/manifest-workloads';
import { readManifestSet } from '../manifests/manifest-set';
import type { Manifest } from '../manifests/manifests';
import { reportedObject } from '../manifests/report-parts';
import type { LintOptions } from './lint-options';
import type { LintReport, ReportedFinding } from './lint-report';

/** Lints all objects of all files, as admission would. */
export function lintInputs(
  inputs: Inputs,
  { namespace, settings }: Pick<LintOptions, 'namespace' | 'settings'>,
): LintReport {
  const { manifests, errors } = readManifestSet(inputs, namespace);
  const sources = new ManifestSources(manifests, settings);
  const workloads = new ManifestWorkloads(manifests, settings);
  const findings = manifests.filter(isSwitchedOn).flatMap((manifest) => {
    const subject = readLintSubject(manifest, settings);
    const workload = (name: LocalWorkloadName) => workloads.get(manifest.namespace, name);
    const known = 'spec' in subject ? { ...sources.knownTo(subject), workload } : noKnownSources;
    const found = lintWorkload(subject, known).filter(isProven);
    return found.map((finding) => reported(manifest, finding));
  });
  const summary = {
    ...{ files: inputs.inputs.length, objects: manifests.length },
    ...{ findings: findings.length, errors: errors.length },
  };
  return { version: 1, summary, findings, errors: [...errors] };
}

/** Whether a finding holds in every cluster that has these manifests. A finding that a source is missing does not. */
function isProven({ code }: LintFinding): boolean {
  return code !== 'no-such-source' && code !== 'other-kind';
}

function isSwitchedOn({ object }: Manifest): boolean {
  return annotation(annotationsOf(object), ownAnnotations.lint) !== 'off';
}

function reported(manifest: Manifest, { code, key, message }: LintFinding): ReportedFinding {
  const { file, line } = manifest;
  return {
    ...{ code, message: printable(message), annotation: printable(key) },
    object: lintedObject(manifest),
    ...{ file: printable(file), line: lineOfAnnotation(manifest, code, key) ?? line },
  };
}

/** A Namespace is in none. */
function lintedObject(manifest: Manifest): ReportedFinding['object'] {
  const object = reportedObject(manifest);
  if (bearerOf(manifest) !== 'namespace') return object;
  const { apiVersion, kind, name } = object;
  return { apiVersion, kind, ...(name !== undefined && { name }) };
}

/**
 * The line of an annotation, wherever it can stand. If it is in the wrong place, the object's own metadata comes last.
 */
function lineOfAnnotation({ lineOf }: Manifest, code: LintFinding['code'], key: string): number | undefined {
  const jobTemplate = ['spec', 'jobTemplate'];
  const templates = [defaultTemplatePath, [...jobTemplate, ...defaultTemplatePath]];
  const below = [...templates, jobTemplate].map((path) => [...path, 'metadata', 'annotations']);
  const labels = [[], ...templates].map((path) => [...path, 'metadata', 'labels']);
  const own = [['metadata', 'annotations']];
  const places = code === 'wrong-place' ? [...below, ...labels, ...own] : [...own, ...below, ...labels];
  for (const place of places) {
    const line = lineOf([...place, key]);
    if (line !== undefined) return line;
  }
  return undefined;
}
