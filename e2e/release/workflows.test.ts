import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { projectDir } from '../control-plane/versions';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly uses?: string;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = path.join(projectDir, '.github/workflows');
const files = readdirSync(folder);
const textOf = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
const workflow = (file: string): Workflow => parse(textOf(file)) as Workflow;
const steps = (file: string): readonly Step[] => Object.values(workflow(file).jobs).flatMap(({ steps = [] }) => steps);
const runs = (file: string): readonly string[] => steps(file).flatMap(({ run }) => run ?? []);

const { scripts } = JSON.parse(readFileSync(path.join(projectDir, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

describe.each(files)('.github/workflows/%s', (file) => {
  it('runs scripts that exist', () => {
    const text = runs(file).join('\n');
    const named = [...text.matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const paths = [...text.matchAll(/(?<![\w./])\.[\w-]*\/[\w/.-]+/g)].map(([found]) => found);
    expect(paths.filter((found) => !existsSync(path.join(projectDir, found)))).toEqual([]);
  });

  it('has no expression in a command: what others may name would be run', () => {
    expect(runs(file).filter((run) => run.includes('${{'))).toEqual([]);
  });

  it('may read, and its jobs no more than they say', () => {
    expect(workflow(file).permissions).toEqual({ contents: 'read' });
    const writes = Object.entries(workflow(file).jobs).flatMap(([job, { permissions = {} }]) =>
      Object.entries(permissions).flatMap(([scope, right]) => (right === 'write' ? `${job}: ${scope}` : [])),
    );
    const publishing = (job: string): readonly string[] =>
      ['packages', 'id-token', 'attestations'].map((scope) => `${job}: ${scope}`);
    const released = [...publishing('image'), ...publishing('chart'), 'page: contents'];
    expect(writes).toEqual(file === 'release.yml' ? released : []);
  });

  it('does not run the code of a stranger with rights', () => {
    expect(Object.keys(workflow(file).on)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(pull_request_target|workflow_run|issue_comment)$/)]),
    );
    const checkouts = steps(file).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  it('pins each action by its commit, with the version beside it', () => {
    const lines = textOf(file).split('\n');
    const used = lines.filter((line) => /^\s*(- )?uses: (?!\.\/)/.test(line));
    expect(used.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('ends each job some time', () => {
    const jobs = Object.values(workflow(file).jobs).filter(({ uses }) => uses === undefined);
    expect(jobs.filter((job) => job['timeout-minutes'] === undefined)).toEqual([]);
  });
});

describe('an action', () => {
  it('has one version everywhere', () => {
    const pins = files.flatMap((file) => [...textOf(file).matchAll(/uses: (\S+)@(\S+ # \S+)/g)]);
    const versions = new Map<string, Set<string>>();
    for (const [, name, version] of pins) versions.set(name!, (versions.get(name!) ?? new Set()).add(version!));
    expect([...versions].filter(([, found]) => found.size > 1)).toEqual([]);
  });
});

describe('what a change must pass', () => {
  it.each(['.ci/run', 'npm run check:deploy', 'npm run check:image', 'npm run release -- --check'])('%s', (command) => {
    expect(runs('ci.yml').filter((run) => run.includes(command))).toHaveLength(1);
  });

  it('is tested whole on main and before a release', () => {
    expect(runs('ci.yml')).toContain('.ci/run $([ "$GITHUB_EVENT_NAME" = pull_request ] || echo --whole)');
  });

  it('is passed before anything is published, and the tag compared', () => {
    const { jobs } = workflow('release.yml');
    expect(jobs['ci']).toEqual({ uses: './.github/workflows/ci.yml' });
    expect(jobs['image']).toMatchObject({ needs: ['ci', 'check'] });
    expect([jobs['chart'], jobs['page']]).toMatchObject([{ needs: 'image' }, { needs: 'chart' }]);
    expect(runs('release.yml')).toContain('npm run release -- --check --tag "$GITHUB_REF_NAME"');
  });
});

describe('what takes too long for each change', () => {
  it('runs each night: all planted bugs, worlds that were never drawn, and all suites on a real control plane', () => {
    const { on, jobs } = workflow('nightly.yml');
    expect(on['schedule']).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }]);
    expect(Object.keys(jobs)).toEqual(['prove', 'simulation', 'e2e']);
    const [prove, simulation, ...suites] = runs('nightly.yml').filter((run) => run !== 'npm ci');
    expect(prove).toBe('npm run sim -- --prove');
    // As many seeds as lie between the first ones of two days, so that none is drawn again.
    expect(simulation).toBe('npm run sim -- --seeds 20000 --from "$(($(date +%s) / 86400 * 20000))"');
    expect(suites).toEqual([
      'npm run e2e -- --ci --maxWorkers=2 --testPathIgnorePatterns=/node_modules/ --testPathIgnorePatterns=/e2e/security/',
      'npm run e2e -- --ci e2e/security',
    ]);
  });
});

describe('what is found later', () => {
  it('is looked for each week, in all that is shipped: packages, Node and the libraries of Debian', () => {
    const { on } = workflow('scan.yml');
    expect(on['schedule']).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \d$/) }]);
    expect(runs('scan.yml')).toEqual([
      'npm audit --package-lock-only --omit=dev --audit-level=high',
      'docker build --tag reroll:scan .',
    ]);
    const scans = steps('scan.yml').filter(({ uses }) => uses?.startsWith('anchore/scan-action@'));
    expect(scans.map((step) => step.with)).toEqual([
      expect.objectContaining({ image: 'reroll:scan', 'severity-cutoff': 'high', 'fail-build': true }),
    ]);
  });

  it('comes as a pull request, of packages, base images and actions, once it is a week old', () => {
    const { updates } = parse(readFileSync(path.join(projectDir, '.github/dependabot.yml'), 'utf8')) as {
      updates: readonly Readonly<Record<string, unknown>>[];
    };
    expect(updates.map((update) => update['package-ecosystem'])).toEqual(['npm', 'docker', 'github-actions']);
    for (const update of updates) {
      expect(update).toMatchObject({
        directory: '/',
        schedule: { interval: 'weekly' },
        cooldown: { 'default-days': 7 },
      });
    }
  });

  it('is shipped as it was tried: a release is built on what the Dockerfile names', () => {
    const build = steps('release.yml').find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    const given = String(build?.with?.['build-args']).match(/^\w+(?==)/gm);
    expect(given).toEqual(['VERSION', 'REVISION']);
  });
});
