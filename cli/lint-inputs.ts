import { annotation, annotationsOf, ownAnnotations } from '../shared/domain/annotations/annotations';
import { defaultTemplatePath } from '../shared/domain/kubernetes/workload-kinds';
import { fieldAt, textOf } from '../shared/domain/kubernetes/json-value';
import { noKnownSources } from '../shared/domain/lint/known-sources';
import { readLintSubject } from '../shared/domain/lint/lint-subject';
import { lintWorkload, type LintFinding } from '../shared/domain/lint/lint-workload';
import { printable } from '../shared/domain/text/printable';
import type { Inputs } from './inputs';
import type { LintOptions } from './lint-options';
import type { LintReport, ReportedFinding } from './lint-report';
import { isProven, ManifestSources } from './manifest-sources';
import { readManifests, type Manifest } from './manifests';

/** Lints all objects of all files, as admission would. */
export function lintInputs(
  { inputs, problems }: Inputs,
  { namespace, settings }: Pick<LintOptions, 'namespace' | 'settings'>,
): LintReport {
  const read = inputs.map((input) => readManifests(input, namespace));
  const manifests = read.flatMap((each) => each.manifests);
  const sources = new ManifestSources(manifests, settings);
  const findings = manifests.filter(isSwitchedOn).flatMap((manifest) => {
    const subject = readLintSubject(manifest, settings);
    const known = 'spec' in subject ? sources.knownTo(subject) : noKnownSources;
    const found = lintWorkload(subject, known).filter(isProven);
    return found.map((finding) => reported(manifest, finding));
  });
  const errors = [...problems, ...read.flatMap((each) => each.problems)];
  // For example, the command before the pipe failed: nothing was checked, so nothing counts as clean.
  if (manifests.length === 0 && errors.length === 0) {
    errors.push(...inputs.map(({ file }) => ({ file, message: 'holds no Kubernetes object' })));
  }
  const shown = errors.map((error) => ({ ...error, file: printable(error.file) }));
  const summary = {
    ...{ files: inputs.length, objects: manifests.length },
    ...{ findings: findings.length, errors: shown.length },
  };
  return { version: 1, summary, findings, errors: shown };
}

function isSwitchedOn({ object }: Manifest): boolean {
  return annotation(annotationsOf(object), ownAnnotations.lint) !== 'off';
}

function reported(manifest: Manifest, { code, key, message }: LintFinding): ReportedFinding {
  const { file, line, apiVersion, kind, namespace, object } = manifest;
  const name = textOf(fieldAt(object, ['metadata', 'name']));
  return {
    ...{ code, message: printable(message), annotation: printable(key) },
    object: { apiVersion, kind, namespace, ...(name !== undefined && { name }) },
    ...{ file: printable(file), line: lineOfAnnotation(manifest, code, key) ?? line },
  };
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
