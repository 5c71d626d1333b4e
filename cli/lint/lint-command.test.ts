import { describe, expect, it } from '@jest/globals';
import { annotationProblemCodes } from '../../shared/domain/annotations/annotation-problem';
import { memoryFiles, workload } from '../manifests/manifests.fixture';
import { runLint } from './lint.fixture';
import { lintReportSchema } from './lint-report';
import { rules } from './rules';

const auto = 'reloader.stakater.com/auto';
const bad = workload({ [auto]: 'yes' });
const files = memoryFiles({
  'good.yaml': workload({ [auto]: 'true' }),
  'deploy/bad file.yaml': bad,
  'broken.yaml': 'a: [',
  '-': bad,
});
const message =
  'Deployment default/web: annotation reloader.stakater.com/auto="yes" is not a boolean and counts as "false"; write "true" or "false"';

describe('reroll lint', () => {
  it.each<[string, readonly string[], number, string, string]>([
    ['nothing wrong', ['-f', 'good.yaml'], 0, 'no findings: 1 object in 1 file\n', ''],
    ['findings', ['-f', 'deploy'], 1, `deploy/bad file.yaml:6: ${message}\n1 finding: 1 object in 1 file\n`, ''],
    ['standard input', ['-f', '-'], 1, `stdin:6: ${message}\n1 finding: 1 object in 1 file\n`, ''],
    [
      ...(['a file that is missing', ['-f', 'gone.yaml', '-f', '-'], 2] as const),
      `stdin:6: ${message}\n1 finding, 1 error: 1 object in 1 file\n`,
      'gone.yaml: cannot be read: there is no such file or directory\n',
    ],
    [
      ...(['a file that does not parse', ['-f', 'broken.yaml', '-f', 'good.yaml'], 2] as const),
      'no findings, 1 error: 1 object in 2 files\n',
      'broken.yaml:1: the indentation is wrong, or a bracket or brace is not closed\n',
    ],
    [
      ...(['wrong flags', ['--output=xml'], 2, ''] as const),
      '--filename is missing: nothing to read; accepted: a list of paths\n--output="xml": no such format; accepted: text, json, sarif\n\nRun \'reroll lint --help\' for all flags.\n',
    ],
  ])('%s', async (_what, args, code, out, err) => {
    expect(await runLint(args, files)).toEqual({ code, out, err });
  });

  it('does not end with the code of findings if it fails itself', async () => {
    const failing = { ...files, read: async () => await Promise.resolve({} as Uint8Array) };
    expect(await runLint(['-f', 'good.yaml'], failing)).toMatchObject({ code: 2 });
  });

  it.each<[string, Parameters<typeof runLint>[2], boolean]>([
    ['on a terminal', { isTerminal: true }, true],
    ['with an empty NO_COLOR', { isTerminal: true, env: { NO_COLOR: '' } }, true],
    ['with NO_COLOR', { isTerminal: true, env: { NO_COLOR: '1' } }, false],
    ['on a terminal without colours', { isTerminal: true, env: { TERM: 'dumb' } }, false],
    ['in a pipe', { isTerminal: false }, false],
  ])('writes colours %s: %#', async (_where, world, expected) => {
    for (const args of [
      ['-f', '-'],
      ['-f', 'good.yaml'],
    ]) {
      expect((await runLint(args, files, world)).out.includes('\u001b[')).toBe(expected);
    }
    for (const output of ['json', 'sarif']) {
      expect((await runLint(['-f', '-', '-o', output], files, world)).out).not.toContain('\u001b');
    }
  });

  it.each(['text', 'json'])('prints no name that could control a terminal as it is, in %s', async (output) => {
    const name = 'web\u009b31m\u202e';
    const hostile = memoryFiles({ '-': workload({ [auto]: 'yes' }, { name }) });
    const { out } = await runLint(['-f', '-', '-o', output], hostile);
    expect(out).toContain(String.raw`web\u009b31m\u202e`);
    expect(out).not.toMatch(/[\u009b\u202e]/);
    if (output === 'json') expect(lintReportSchema.parse(JSON.parse(out)).findings[0]?.object.name).toBe(name);
  });

  it('prints JSON in its schema', async () => {
    const { code, out, err } = await runLint(['-f', 'deploy', '-f', 'broken.yaml', '-o', 'json'], files);
    const report = lintReportSchema.parse(JSON.parse(out));
    expect(report).toEqual({
      version: 1,
      summary: { files: 2, objects: 1, findings: 1, errors: 1 },
      findings: [
        {
          ...{ code: 'bad-boolean', message, annotation: auto },
          object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
          ...{ file: 'deploy/bad file.yaml', line: 6 },
        },
      ],
      errors: [
        { file: 'broken.yaml', line: 1, message: 'the indentation is wrong, or a bracket or brace is not closed' },
      ],
    });
    expect([code, err]).toEqual([2, 'broken.yaml:1: the indentation is wrong, or a bracket or brace is not closed\n']);
  });

  it('prints SARIF', async () => {
    const { code, out } = await runLint(['-f', 'deploy', '-f', '/gone.yaml', '-o', 'sarif'], files);
    expect(code).toBe(2);
    const log = JSON.parse(out);
    const described = log.runs[0].tool.driver.rules as readonly { readonly id: string }[];
    expect(described.map(({ id }) => id)).toEqual(annotationProblemCodes);
    expect(described[3]).toEqual({
      id: 'bad-boolean',
      shortDescription: { text: rules['bad-boolean'] },
      defaultConfiguration: { level: 'warning' },
      helpUri: 'https://github.com/reroll/reroll/blob/main/docs/lint.md#what-it-finds',
    });
    log.runs[0].tool.driver.rules = [];
    expect(log).toEqual({
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              name: 'reroll lint',
              version: '0.0.0-test',
              informationUri: 'https://github.com/reroll/reroll',
              rules: [],
            },
          },
          invocations: [
            {
              executionSuccessful: false,
              toolExecutionNotifications: [
                {
                  level: 'error',
                  message: { text: 'cannot be read: there is no such file or directory' },
                  locations: [{ physicalLocation: { artifactLocation: { uri: 'file:///gone.yaml' } } }],
                },
              ],
            },
          ],
          results: [
            {
              ...{ ruleId: 'bad-boolean', ruleIndex: 3, level: 'warning', message: { text: message } },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'deploy/bad%20file.yaml' },
                    region: { startLine: 6 },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });
});
