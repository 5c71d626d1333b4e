import { expect, it } from '@jest/globals';
import { connectionHelp, exitCodesHelp, helpOf } from '../cluster/cluster-help.fixture';
import { usersCommandIn } from './users-command';

const help = `Usage: reroll users KIND/NAME [flags]

Asks.

Options:
  -h, --help  print this help

What is asked:
  -n, --namespace             Namespace that is asked about; otherwise the
                              context's. Accepts a namespace.

Output:
  -o, --output                Format of the answer. Accepts text, wide, json,
                              yaml, name. (default text)

${connectionHelp}
Exit codes:
  0    answered
  1    answered: there is no such source
${exitCodesHelp}
Examples:
  reroll users configmap/app
  reroll users secret/db -n shop -o wide
  kubectl reroll users cm/app -o name
`;

it('reroll users --help', async () => {
  expect(await helpOf('users', usersCommandIn)).toBe(help);
});
