import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseDocument } from 'yaml';
import { WebhookMetrics } from '../../webhook/metrics';
import { projectDir } from '../control-plane/versions';

const runbooks = path.join(projectDir, 'docs', 'runbooks');
const pages = readdirSync(runbooks);
const textOf = (page: string): string => readFileSync(path.join(runbooks, page), 'utf8');

const values = parseDocument(readFileSync(path.join(projectDir, 'deploy/chart/reroll/values.yaml'), 'utf8'));

const manifests = readFileSync(path.join(projectDir, 'deploy/manifests/install.yaml'), 'utf8');

/** The source code of what runs in a cluster. */
const code = ['shared', 'reconciler', 'webhook', 'certs']
  .flatMap((folder) =>
    readdirSync(path.join(projectDir, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(path.join(projectDir, folder, file), 'utf8')),
  )
  .join('\n');

describe.each(pages)('docs/runbooks/%s', (page) => {
  it('speaks of values that the chart has', () => {
    const spokenOf = [...textOf(page).matchAll(/`((?:reloader|webhook|certificates)(?:\.[a-z][A-Za-z]*)+)[=`]/g)];
    expect(spokenOf.map(([, value]) => value!).filter((value) => !values.hasIn(value.split('.')))).toEqual([]);
  });

  it('looks for lines that the log can have', () => {
    const wanted = [...textOf(page).matchAll(/logs .*\| grep (.*)/g)].flatMap(([, patterns]) =>
      [...patterns!.matchAll(/'([^']+)'/g)].map(([, pattern]) => pattern!.replaceAll('"', '')),
    );
    expect(wanted.filter((line) => !code.includes(line))).toEqual([]);
  });

  // kubectl reads one pod of a Deployment. The webhook has two, and the reconciler one that leads and others that do not.
  it('reads the logs of all pods of a process', () => {
    expect(textOf(page)).not.toMatch(/logs deployment\/reroll(-webhook)?(?![\w-])/);
  });

  it('edits flags that the manifests set', () => {
    const edited = [...textOf(page).matchAll(/sed 's\/([^/]+)\//g)].map(([, flag]) => flag!);
    expect(edited.filter((flag) => !manifests.includes(`- ${flag}\n`))).toEqual([]);
  });

  it('sets no variable, because the flags that the manifests set win over variables', () => {
    expect(textOf(page)).not.toMatch(/kubectl .*\bset env\b/);
  });

  it('leads to pages and headings that are there', () => {
    for (const [, target = '', heading] of textOf(page).matchAll(/\]\(([\w./-]+\.md)(?:#([\w-]+))?\)/g)) {
      const text = readFileSync(path.join(runbooks, target), 'utf8');
      const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'));
      if (heading !== undefined) expect(headings).toContain(heading);
    }
  });
});

describe('docs/runbooks/reroll-admission-errors.md', () => {
  it('says of each part of the webhook what is missing if it fails', async () => {
    const told = [...textOf('reroll-admission-errors.md').matchAll(/^\| `([\w-]+)` /gm)].map(([, duty]) => duty);
    const series = [
      ...(await new WebhookMetrics().registry.text()).matchAll(/duty_failures_total\{duty="([\w-]+)"\}/g),
    ];
    expect(told.filter((duty) => duty !== 'duty').toSorted()).toEqual(series.map(([, duty]) => duty).toSorted());
  });
});
