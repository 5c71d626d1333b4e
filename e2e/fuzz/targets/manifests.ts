import { lintInputs } from '../../../cli/lint/lint-inputs';
import { parseLintOptions } from '../../../cli/lint/lint-options';
import { lintReportSchema } from '../../../cli/lint/lint-report';
import { migrateInputs } from '../../../cli/migrate/migrate-inputs';
import { migrateReportSchema } from '../../../cli/migrate/migrate-report';
import { readManifestSet } from '../../../cli/manifests/manifest-set';
import type { Manifest } from '../../../cli/manifests/manifests';
import { sourceProblems } from '../../../cli/preview/manifest-changes';
import { applied } from '../../../cli/preview/source-object';
import { changesTemplate } from '../../../cli/preview/template-difference';
import { unresolvedObject } from '../../../cli/preview/unresolved';
import { defaultTemplatePath } from '../../../shared/domain/kubernetes/workload-kinds';
import { promise, secretMarker, type Target } from '../target';

const options = parseLintOptions(['-f', '-'], {});

/** Manifests in CI: the lint of a pull request reads what its author wrote, and so does the search for differences. */
export const target: Target = {
  seeds: [
    `apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  a: ${secretMarker}\n`,
    'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  annotations:\n    reloader.stakater.com/auto: "yes"\n---\n',
    '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"annotations":{"reroll.dev/settel":"x"}}}]}',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: &m {annotations: {reloader.stakater.com/ignore: "true"}}\nx: {<<: *m}\n',
    'metadata:\n  name: {{ .Values.name }}\n',
    'apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  annotations: {wave.pusher.com/update-on-config-change: "true", wave.pusher.com/extra-secrets: "a,b/c"}\nspec: {template: {metadata: {annotations: {checksum/config: a}}, spec: {containers: [{envFrom: [{secretRef: {name: a}}]}]}}}\n',
  ],
  dictionary: ['&a ', '*a', '<<: ', '\n---\n', '{{', 'items:\n- ', '!!binary ', '? '],
  maxMs: 500,
  run: (input) => {
    const text = input.toString('utf8');
    const inputs = { inputs: [{ file: 'a.yaml', text }], problems: [] };
    const report = lintInputs(inputs, options);
    const migration = migrateInputs(inputs, options);
    promise(lintReportSchema.safeParse(report).success, 'a report fits its schema');
    promise(migrateReportSchema.safeParse(migration).success, 'a report of differences fits its schema');
    preview(readManifestSet(inputs, 'default').manifests);
    const lines = text.split('\n').length;
    promise(
      [...report.findings, ...migration.findings, ...report.errors].every(({ line = 1 }) => line <= lines),
      'a finding is within its file',
    );
    const quoted = report.errors.some(({ message }) => message.includes(secretMarker));
    promise(!quoted, 'an error quotes nothing');
  },
};

/** What a preview reads of manifests, each compared with itself as if it were stored. */
function preview(manifests: readonly Manifest[]): void {
  sourceProblems(manifests);
  for (const manifest of manifests) {
    const { object } = manifest;
    unresolvedObject(manifest);
    for (const kind of ['ConfigMap', 'Secret'] as const) applied(kind, object, object);
    const isChanged = changesTemplate(defaultTemplatePath, { manifest: object, live: object, last: undefined });
    promise(!isChanged, 'an apply of what is stored changes no template');
  }
}
