import { lintInputs } from '../../../cli/lint-inputs';
import { parseLintOptions } from '../../../cli/lint-options';
import { lintReportSchema } from '../../../cli/lint-report';
import { promise, secretMarker, type Target } from '../target';

const options = parseLintOptions(['-f', '-'], {});

/** Manifests in CI: the lint of a pull request reads what its author wrote. */
export const target: Target = {
  seeds: [
    `apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  a: ${secretMarker}\n`,
    'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  annotations:\n    reloader.stakater.com/auto: "yes"\n---\n',
    '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"annotations":{"reroll.dev/settel":"x"}}}]}',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: &m {annotations: {reloader.stakater.com/ignore: "true"}}\nx: {<<: *m}\n',
    'metadata:\n  name: {{ .Values.name }}\n',
  ],
  dictionary: ['&a ', '*a', '<<: ', '\n---\n', '{{', 'items:\n- ', '!!binary ', '? '],
  maxMs: 500,
  run: (input) => {
    const text = input.toString('utf8');
    const report = lintInputs({ inputs: [{ file: 'a.yaml', text }], problems: [] }, options);
    promise(lintReportSchema.safeParse(report).success, 'a report fits its schema');
    const lines = text.split('\n').length;
    promise(
      [...report.findings, ...report.errors].every(({ line = 1 }) => line <= lines),
      'a finding is within its file',
    );
    const quoted = report.errors.some(({ message }) => message.includes(secretMarker));
    promise(!quoted, 'an error quotes nothing');
  },
};
