import { expect, it } from '@jest/globals';
import { connectionHelp, exitCodesHelp, helpOf } from '../cluster/cluster-help.fixture';
import { historyCommandIn } from './history-command';

const help = `Usage: reroll history [KIND/NAME] [flags]

Asks.

Options:
  -h, --help  print this help

What is asked:
  -n, --namespace             Namespace that is asked about; otherwise the
                              context's. Accepts a namespace.
  -A, --all-namespaces        Answer for all namespaces. (default false)
  --since                     Show restarts of this last time. Accepts a Go
                              duration such as 30m, 24h or 168h. (default 24h)

Output:
  -o, --output                Format of the answer. Accepts text, wide, json,
                              yaml, name. (default text)

${connectionHelp}
Exit codes:
  0    answered
  1    answered: a restart was refused, or its pods did not become well
${exitCodesHelp}
Examples:
  reroll history -n shop
  reroll history deployment/web --since 168h -o wide
  kubectl reroll history -A --since 1h
`;

it('reroll history --help', async () => {
  expect(await helpOf('history', historyCommandIn)).toBe(help);
});
