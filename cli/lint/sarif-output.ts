import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { annotationProblemCodes } from '../../shared/domain/annotations/annotation-problem';
import { version } from '../../shared/runtime/version';
import type { LintReport } from './lint-report';
import { rules } from './rules';

const home = 'https://github.com/reroll/reroll';

/** A log in SARIF 2.1.0, which code scanning of GitHub and others reads. */
export function sarifOutput({ findings, errors }: LintReport): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'reroll lint', version, informationUri: home, rules: descriptors } },
        invocations: [
          {
            executionSuccessful: errors.length === 0,
            toolExecutionNotifications: errors.map(({ file, line, message }) => ({
              ...{ level: 'error', message: { text: message }, locations: [location(file, line)] },
            })),
          },
        ],
        results: findings.map(({ code, message, file, line }) => ({
          ...{ ruleId: code, ruleIndex: annotationProblemCodes.indexOf(code), level: 'warning' },
          ...{ message: { text: message }, locations: [location(file, line)] },
        })),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

const descriptors = annotationProblemCodes.map((id) => ({
  ...{ id, shortDescription: { text: rules[id] }, defaultConfiguration: { level: 'warning' } },
  helpUri: `${home}/blob/main/docs/lint.md#what-it-finds`,
}));

function location(file: string, line: number | undefined) {
  const region = line === undefined ? {} : { region: { startLine: line } };
  return { physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...region } };
}

/** A relative path stays relative: it is a path in the repository. */
function uriOf(file: string): string {
  if (path.isAbsolute(file)) return pathToFileURL(file).href;
  return path.normalize(file).split(path.sep).map(encodeURIComponent).join('/');
}
