import { expect, it } from '@jest/globals';
import { connectionHelp, helpOf } from '../cluster/cluster-help.fixture';
import { rollbackCommandIn } from './rollback-command';

const help = `Usage: reroll rollback KIND/NAME [flags]

Asks.

Options:
  -h, --help  print this help

What is put back:
  -n, --namespace             Namespace of the source; otherwise the context's.
                              Accepts a namespace.
  -y, --yes                   Do not ask before it is written. (default false)
  --dry-run                   Say what would be written, and have the API server
                              check it, but store nothing. (default false)

Output:
  -o, --output                Format of the answer. Accepts text, json, yaml,
                              name. (default text)

${connectionHelp}
Exit codes:
  0    done
  1    nothing was changed: no content is kept, it is the same, or you said no
  2    wrong flags or arguments
  3    no connection, or no right to change the object
  130  ended by Ctrl-C

Examples:
  reroll rollback configmap/app -n shop
  reroll rollback secret/db --dry-run
  kubectl reroll rollback secret/db --yes
`;

it('reroll rollback --help', async () => {
  const ask = async (): Promise<undefined> => await Promise.resolve(undefined);
  expect(await helpOf('rollback', (world) => rollbackCommandIn({ ...world, ask }))).toBe(help);
});
