import { expect, it } from '@jest/globals';
import { installHelp, manifestsHelp } from '../manifests/manifest-help.fixture';
import { memoryFiles } from '../manifests/manifests.fixture';
import { runLint } from './lint.fixture';

const help = `Usage: reroll lint [flags]

Lints.

Options:
  -h, --help  print this help

${manifestsHelp}
  -o, --output                Format of the findings. Accepts text, json, sarif.
                              (default text)

${installHelp}
Exit codes:
  0  no findings
  1  findings
  2  wrong flags, or something that cannot be read

Examples:
  reroll lint -f deploy/
  helm template . | reroll lint -f - -n shop
`;

it('reroll lint --help', async () => {
  expect(await runLint(['--help'], memoryFiles({}))).toEqual({ code: 0, out: help, err: '' });
});
