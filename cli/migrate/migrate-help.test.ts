import { expect, it } from '@jest/globals';
import { installHelp, manifestsHelp } from '../manifests/manifest-help.fixture';
import { memoryFiles } from '../manifests/manifests.fixture';
import { runMigrate } from './migrate.fixture';

const help = `Usage: reroll migrate [flags]

Migrates.

Options:
  -h, --help  print this help

${manifestsHelp}
  -o, --output                Format of the findings. Accepts text, json.
                              (default text)

${installHelp}
Exit codes:
  0  nothing to write, and nothing behaves differently
  1  something to write, or something that behaves differently
  2  wrong flags, or something that cannot be read

Examples:
  reroll migrate -f deploy/
  helm template . | reroll migrate -f - -n shop
`;

it('reroll migrate --help', async () => {
  expect(await runMigrate(['--help'], memoryFiles({}))).toEqual({ code: 0, out: help, err: '' });
});
