import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CertsMetrics } from '../certs/metrics';
import { certsOptionTable } from '../certs/options';
import { Metrics } from '../reconciler/metrics';
import { reconcilerOptionTable } from '../reconciler/options';
import { annotationProblemCodes } from '../shared/domain/annotation-problem';
import {
  defaultAnnotationKeys,
  lastReloadedFrom,
  ownAnnotations,
  restartedAt,
  sourceAnnotations,
} from '../shared/domain/annotations';
import { strategyNames } from '../shared/domain/workload-settings';
import { MetricRegistry } from '../shared/runtime/metric-registry';
import type { OptionRow, OptionTable } from '../shared/runtime/option-table';
import { WebhookMetrics } from '../webhook/metrics';
import { webhookOptionTable } from '../webhook/options';

const root = join(__dirname, '..');
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);

const readme = textOf('README.md');
/** What people read, by its path. */
const pages = ['README.md', ...filesIn('docs').filter((file) => file.endsWith('.md'))];
/** What runs in a cluster. */
const code = ['shared', 'reconciler', 'webhook', 'certs']
  .flatMap(filesIn)
  .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file))
  .map(textOf)
  .join('\n');

/** First cells of all table rows that are code. */
function codeCells(text: string): readonly string[] {
  return [...text.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, cell]) => cell!);
}

const commands: readonly (readonly [page: string, table: OptionTable])[] = [
  ['README.md', reconcilerOptionTable],
  ['docs/webhook.md', webhookOptionTable],
  ['docs/certificates.md', certsOptionTable],
];

describe('the flags of each command', () => {
  it.each(commands)('stand in %s, each with its default, and none besides', (page, table) => {
    const text = textOf(page);
    const flags = Object.values(table).map(({ flag }) => `--${flag}`);
    expect(
      codeCells(text)
        .filter((cell) => /^--\S+$/.test(cell))
        .toSorted(),
    ).toEqual(flags.toSorted());
    for (const { flag, default: value } of Object.values(table)) {
      if (value === undefined || value === '') continue;
      expect(text).toMatch(new RegExp(`\\| \`--${flag}\` +\\| \`${value.replaceAll('.', '\\.')}\` +\\|`));
    }
  });
});

describe('flags that a page speaks of', () => {
  const ours = commands.flatMap(([, table]) => Object.values(table).map(({ flag }) => flag));
  const general = ['help', 'version'];
  /** Of npm and our scripts, Node, kubectl, helm, docker, cosign and gh, in examples. */
  const ofOthers = [
    'all',
    'as',
    'build-context',
    'certificate-identity',
    'certificate-oidc-issuer',
    'check',
    'clusterrole',
    'command',
    'create-namespace',
    'field-selector',
    'format',
    'from',
    'from-file',
    'generate',
    'ignore-not-found',
    'ignore-scripts',
    'json',
    'keep',
    'list',
    'minutes',
    'namespace',
    'notes',
    'optimize-for-size',
    'raw',
    'replicas',
    'repo',
    'reuse-values',
    'role',
    'serviceaccount',
    'set',
    'show-managed-fields',
    'signer-workflow',
    'store',
    'tag',
    'tail',
    'take-ownership',
    'type',
  ];
  const known = new Set([...ours, ...general, ...ofOthers]);

  it.each(pages)('%s: exist', (page) => {
    const spokenOf = [...textOf(page).matchAll(/(?<![\w-])--([A-Za-z][\w-]*)/g)].map(([, flag]) => flag!);
    // In prose about Reloader's parser, --x stands for any.
    expect(spokenOf.filter((flag) => flag !== 'x' && !known.has(flag))).toEqual([]);
  });
});

describe('the environment', () => {
  const rows: readonly OptionRow[] = commands.flatMap(([, table]) => Object.values(table));
  const asFlag = new Map(rows.map(({ fallbackEnv, flag }) => [fallbackEnv, flag]));
  asFlag.delete(undefined);
  const read = [...code.matchAll(/\benv\['([A-Z_]+)'\]/g)].map(([, variable]) => variable!);

  it('stands in README, each variable that is read, and none besides', () => {
    const documented = codeCells(readme).filter((cell) => /^[A-Z][A-Z_]+$/.test(cell));
    expect(documented.toSorted()).toEqual([...new Set([...asFlag.keys(), ...read])].toSorted());
  });

  it.each([...asFlag])('%s stands with its flag, --%s', (variable, flag) => {
    expect(readme).toMatch(new RegExp(`\\| \`${variable}\` +\\| as \`--${flag}\``));
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

  /** `name type`, as the exposition says. */
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
        // A metric whose labels are open has no series yet.
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
  // Labels of ours are written alike.
  const known = new Set([...code.matchAll(new RegExp(`'(${key.source})'`, 'g'))].map(([, name]) => name!));

  it.each(pages)('%s: exist', (page) => {
    expect([...textOf(page).matchAll(key)].map(([name]) => name).filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('docs/webhook.md', () => {
  it('has a row for every problem that the lint tells of', () => {
    const [, lint = ''] = textOf('docs/webhook.md').split('\n## Lint\n');
    const table = lint.split('\n## ')[0]!.split('It is called for')[0]!;
    expect(codeCells(table).toSorted()).toEqual(annotationProblemCodes.toSorted());
  });
});

describe('README', () => {
  it('speaks of every annotation that is written', () => {
    const written = [ownAnnotations.baseline, ownAnnotations.lastRestart, lastReloadedFrom, restartedAt];
    expect(written.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });

  it('has a row for every annotation that is read', () => {
    const read = [
      ...Object.values<string>({ ...defaultAnnotationKeys, ...sourceAnnotations }),
      ...Object.values(ownAnnotations).filter(
        (key) => key !== ownAnnotations.baseline && key !== ownAnnotations.lastRestart,
      ),
    ];
    expect(
      codeCells(readme)
        .filter((cell) => /^[a-z.]+\//.test(cell))
        .toSorted(),
    ).toEqual(read.toSorted());
  });

  it('has a row for every strategy', () => {
    expect(codeCells(readme)).toEqual(expect.arrayContaining([...strategyNames]));
  });
});
