import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CertsMetrics } from '../certs/metrics';
import { certsOptionTable } from '../certs/options';
import { checkOptionTable } from '../cli/check/check-options';
import { lintOptionTable } from '../cli/lint/lint-options';
import { lintReportSchema } from '../cli/lint/lint-report';
import { differenceCodes } from '../cli/migrate/difference-codes';
import { migrateInputs } from '../cli/migrate/migrate-inputs';
import { migrateOptionTable, parseMigrateOptions } from '../cli/migrate/migrate-options';
import { migrateReportSchema } from '../cli/migrate/migrate-report';
import { textOutput } from '../cli/migrate/text-output';
import { clusterOptionTable } from '../cli/cluster/cluster-options';
import { previewOptionTable } from '../cli/preview/preview-options';
import { historyOptionTable } from '../cli/history/history-options';
import { statusOptionTable } from '../cli/status/status-options';
import { pauseOptionTable, resumeOptionTable } from '../cli/pause/hold-options';
import { uiOptionTable } from '../cli/ui/ui-options';
import { whyOptionTable } from '../cli/why/why-options';
import { Metrics } from '../reconciler/metrics/metrics';
import { reconcilerOptionTable } from '../reconciler/options/options';
import { annotationProblemCodes } from '../shared/domain/annotations/annotation-problem';
import {
  defaultAnnotationKeys,
  gateAnnotations,
  lastReloadedFrom,
  ownAnnotations,
  restartedAt,
  sourceAnnotations,
} from '../shared/domain/annotations/annotations';
import { strategyNames } from '../shared/domain/workloads/workload-settings';
import { MetricRegistry } from '../shared/runtime/metric-registry';
import type { OptionRow, OptionTable } from '../shared/runtime/options/option-table';
import { WebhookMetrics } from '../webhook/metrics';
import { webhookOptionTable } from '../webhook/process/options';

const root = join(__dirname, '..');
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);

/** Paths of the pages for users. */
const pages = ['README.md', ...filesIn('docs').filter((file) => file.endsWith('.md'))];
/** All code of the product. */
const code = ['shared', 'reconciler', 'webhook', 'certs', 'cli']
  .flatMap(filesIn)
  .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file))
  .map(textOf)
  .join('\n');

/** The first cell of each table row, if it is code. */
function codeCells(text: string): readonly string[] {
  return [...text.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, cell]) => cell!);
}

const tables: readonly OptionTable[] = [
  reconcilerOptionTable,
  webhookOptionTable,
  certsOptionTable,
  lintOptionTable,
  migrateOptionTable,
  whyOptionTable,
  statusOptionTable,
  historyOptionTable,
  clusterOptionTable,
  previewOptionTable,
  uiOptionTable,
  pauseOptionTable,
  resumeOptionTable,
  checkOptionTable,
];
const rows: readonly OptionRow[] = tables.flatMap((table) => Object.values<OptionRow>(table));

describe.each(pages.filter((page) => !page.startsWith('docs/reference/')))('%s', (page) => {
  it('has no table of flags or variables: each stands in docs/reference alone', () => {
    const cells = codeCells(textOf(page));
    expect(cells.filter((cell) => /^--\S+$/.test(cell) || /^[A-Z]+(_[A-Z]+)+$/.test(cell))).toEqual([]);
  });
});

describe('flags that a page speaks of', () => {
  const ours = rows.map(({ flag }) => flag);
  const general = ['help', 'version', 'yes'];
  /** Flags of npm and our scripts, Node, kubectl, helm, docker, cosign and gh, in examples. */
  const ofOthers = [
    'all',
    'archive',
    'as',
    'build-context',
    'certificate-identity',
    'certificate-oidc-issuer',
    'check',
    'clusterrole',
    'command',
    'create-namespace',
    'field-selector',
    'force-conflicts',
    'format',
    'from',
    'from-file',
    'generate',
    'ignore-not-found',
    'ignore-scripts',
    'json',
    'keep',
    'list',
    'manifest',
    'minutes',
    'namespace',
    'notes',
    'optimize-for-size',
    'raw',
    'replicas',
    'repo',
    'reuse-values',
    'rm',
    'role',
    'server-side',
    'serviceaccount',
    'set',
    'show-managed-fields',
    'signer-workflow',
    'sim',
    'store',
    'tag',
    'tail',
    'take-ownership',
    'trace-opt',
    'type',
  ];
  const known = new Set([...ours, ...general, ...ofOthers]);

  it.each(pages)('%s: exist', (page) => {
    const spokenOf = [...textOf(page).matchAll(/(?<![\w-])--([A-Za-z][\w-]*)/g)].map(([, flag]) => flag!);
    // In prose about Reloader's parser, --x stands for any flag.
    expect(spokenOf.filter((flag) => flag !== 'x' && !known.has(flag))).toEqual([]);
  });
});

describe('the environment', () => {
  const text = textOf('docs/reference/environment.md');
  const asFlag = new Map(rows.map(({ fallbackEnv, flag }) => [fallbackEnv, flag]));
  asFlag.delete(undefined);
  const read = [...code.matchAll(/\benv\['([A-Z_]+)'\]/g)].map(([, variable]) => variable!);

  it('stands in docs/reference/environment.md, each variable that is read, and none besides', () => {
    const documented = codeCells(text).filter((cell) => /^[A-Z][A-Z_]+$/.test(cell));
    expect(documented.toSorted()).toEqual([...new Set([...asFlag.keys(), ...read])].toSorted());
  });

  it.each([...asFlag])('%s stands with its flag, --%s', (variable, flag) => {
    expect(text).toMatch(new RegExp(`\\| \`${variable}\` +\\| as \`--${flag}\``));
  });
});

describe('metrics', () => {
  const certificates = new MetricRegistry();
  new CertsMetrics(certificates, { certificates: true });
  const registries: readonly (readonly [command: string, registry: MetricRegistry])[] = [
    ['reroll reconciler', new Metrics({ countByNamespace: true }).registry],
    ['reroll webhook', new WebhookMetrics().registry],
    ['reroll certs', certificates],
  ];

  /** Each metric as `name type`, from the exposition. */
  async function metricsOf(registry: MetricRegistry): Promise<readonly string[]> {
    return [...(await registry.text()).matchAll(/^# TYPE (\S+ \S+)$/gm)].map(([, metric]) => metric!);
  }

  it.each(registries)(
    'of %s stand in docs/metrics.md with type and labels, and none besides',
    async (command, registry) => {
      const section = textOf('docs/metrics.md').split(`## \`${command}\``)[1]!.split('\n## ')[0]!;
      const rows = [...section.matchAll(/^\| `(\w+)` +\| (\w+) +\|([^|]*)\|/gm)];
      expect(rows.map(([, name, type]) => `${name} ${type}`).toSorted()).toEqual(
        (await metricsOf(registry)).toSorted(),
      );
      const text = await registry.text();
      for (const [, name, , cell] of rows) {
        const documented = [...cell!.matchAll(/`(\w+)`/g)].map(([, label]) => label);
        const series = new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\} `, 'm').exec(text)?.[1] ?? '';
        const labels = [...series.matchAll(/(\w+)="/g)].map(([, label]) => label).filter((label) => label !== 'le');
        // A metric whose label values are not known beforehand has no series yet.
        if (text.includes(`\n${name}`)) expect([name, documented]).toEqual([name, labels]);
      }
    },
  );

  it.each(pages)('that %s speaks of exist', async (page) => {
    const all = (await Promise.all(registries.map(([, registry]) => metricsOf(registry)))).flat();
    const names = new Set(all.map((metric) => metric.split(' ')[0]!));
    const spokenOf = [...textOf(page).matchAll(/\b(?:reroll|reloader|rest_client)_\w*[a-z](?!\w)/g)].map(
      ([name]) => name,
    );
    expect(spokenOf.filter((name) => !names.has(name.replace(/_(bucket|sum|count)$/, '')))).toEqual([]);
  });
});

describe('annotations that a page speaks of', () => {
  const key = /(?:[a-z]+\.)*(?:reloader\.stakater\.com|reroll\.dev)\/[a-z-]*[a-z]/g;
  // Reroll's labels have the same form.
  const known = new Set([...code.matchAll(new RegExp(`'(${key.source})'`, 'g'))].map(([, name]) => name!));

  it.each(pages)('%s: exist', (page) => {
    expect([...textOf(page).matchAll(key)].map(([name]) => name).filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('docs/webhook.md', () => {
  it('has a row for every problem that the lint tells of', () => {
    const [, lint = ''] = textOf('docs/webhook.md').split('\n## Lint\n');
    const table = lint.split('\n## ')[0]!.split('The API server calls it for')[0]!;
    expect(codeCells(table).toSorted()).toEqual(annotationProblemCodes.toSorted());
  });
});

describe('docs/lint.md', () => {
  it('shows a report that fits the schema', () => {
    const blocks = [...textOf('docs/lint.md').matchAll(/^```json\n(.*?)^```$/gms)].map(([, block]) => block!);
    expect(blocks).toHaveLength(1);
    const { summary, findings } = lintReportSchema.parse(JSON.parse(blocks[0]!));
    expect(findings).toHaveLength(summary.findings);
  });
});

describe('docs/migration.md', () => {
  const text = textOf('docs/migration.md');

  it('has a row for every difference that the command finds', () => {
    const [, found = ''] = text.split('\n### What it finds\n');
    expect(codeCells(found.split('\n### ')[0]!)).toEqual(differenceCodes);
  });

  it('shows what the command prints for the manifest that it shows', () => {
    const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
    const blockOf = (language: string): string => blocks.find(([, each]) => each === language)![2]!;
    const inputs = { inputs: [{ file: 'stdin', text: blockOf('yaml') }], problems: [] };
    const report = migrateInputs(inputs, parseMigrateOptions(['-f', '-', '-n', 'shop'], {}));
    expect(blockOf('')).toBe(textOutput(report, { colour: false }));
    expect(migrateReportSchema.parse(JSON.parse(blockOf('json')))).toEqual(report);
  });
});

describe('docs/reference/annotations.md', () => {
  const text = textOf('docs/reference/annotations.md');

  it('has a row for every annotation that is read or written, and none besides', () => {
    const known = [
      ...Object.values<string>({
        ...defaultAnnotationKeys,
        ...sourceAnnotations,
        ...ownAnnotations,
        ...gateAnnotations,
      }),
      ...[lastReloadedFrom, restartedAt],
    ];
    const rows = codeCells(text).filter((cell) => /^[a-z.]+\//.test(cell));
    expect([...new Set(rows)].toSorted()).toEqual([...new Set(known)].toSorted());
  });
});

describe('docs/restarts.md', () => {
  const text = textOf('docs/restarts.md');

  it('speaks of every annotation that is written', () => {
    const written = [ownAnnotations.baseline, ownAnnotations.lastRestart, lastReloadedFrom, restartedAt];
    expect(written.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it('has a row for every strategy', () => {
    expect(codeCells(text)).toEqual(expect.arrayContaining([...strategyNames]));
  });
});

describe('README.md', () => {
  it('has six KB at most: what is longer has a page of its own', () => {
    expect(Buffer.byteLength(textOf('README.md'))).toBeLessThan(6_144);
  });
});
