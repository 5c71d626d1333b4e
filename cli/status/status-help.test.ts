import { expect, it } from '@jest/globals';
import { connectionHelp, exitCodesHelp, helpOf } from '../cluster/cluster-help.fixture';
import { statusCommandIn } from './status-command';

const help = `Usage: reroll status [flags]

Asks.

Options:
  -h, --help  print this help

What is asked:
  -n, --namespace             Namespace that is asked about; otherwise the
                              context's. Accepts a namespace.
  -A, --all-namespaces        Answer for all namespaces. (default false)

Output:
  -o, --output                Format of the answer. Accepts text, wide, json,
                              yaml, name. (default text)
  -w, --watch                 Ask again every two seconds, until Ctrl-C.
                              (default false)

${connectionHelp}
Exit codes:
  0    answered
  1    answered: a workload is blocked or unhealthy
${exitCodesHelp}
Examples:
  reroll status -n shop
  reroll status -A -o wide
  kubectl reroll status --watch
`;

it('reroll status --help', async () => {
  expect(await helpOf('status', statusCommandIn)).toBe(help);
});
