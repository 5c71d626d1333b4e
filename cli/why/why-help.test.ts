import { expect, it } from '@jest/globals';
import { connectionHelp, exitCodesHelp, helpOf } from '../cluster/cluster-help.fixture';
import { whyCommandIn } from './why-command';

const help = `Usage: reroll why KIND/NAME [flags]

Asks.

Options:
  -h, --help  print this help

What is asked:
  -n, --namespace             Namespace that is asked about; otherwise the
                              context's. Accepts a namespace.
  --for                       Answer for this source; otherwise for what
                              happened last. Accepts a source such as
                              configmap/app.

Output:
  -o, --output                Format of the answer. Accepts text, wide, json,
                              yaml, name. (default text)

${connectionHelp}
Exit codes:
  0    answered
  1    answered: something is blocked, nothing leads, or there is no such
       workload
${exitCodesHelp}
Examples:
  reroll why deployment/web
  reroll why deployment/web -n shop --for configmap/app
  kubectl reroll why sts/db -o json
`;

it('reroll why --help', async () => {
  expect(await helpOf('why', whyCommandIn)).toBe(help);
});
