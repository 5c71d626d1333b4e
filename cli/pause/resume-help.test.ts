import { expect, it } from '@jest/globals';
import { connectionHelp, helpOf } from '../cluster/cluster-help.fixture';
import { resumeCommandIn } from './resume-command';

const help = `Usage: reroll resume [KIND/NAME] [flags]

Asks.

Options:
  -h, --help  print this help

What is resumed:
  -n, --namespace             Namespace of the object; otherwise the context's.
                              Accepts a namespace.
  --all                       Everything that the install restarts: ConfigMap
                              reroll-hold in its namespace. (default false)
  --override                  Restart this workload, or for this source,
                              although its namespace is held: write
                              reroll.dev/hold: "false". (default false)

Output:
  -o, --output                Format of the answer. Accepts text, json, yaml,
                              name. (default text)

${connectionHelp}
Exit codes:
  0    done
  1    there is no such object, or something else still holds it
  2    wrong flags or arguments
  3    no connection, or no right to change the object
  130  ended by Ctrl-C

Examples:
  reroll resume deployment/web -n shop
  reroll resume deployment/web --override
  reroll resume configmap/app
  reroll resume namespace/shop
  kubectl reroll resume --all
`;

it('reroll resume --help', async () => {
  expect(await helpOf('resume', resumeCommandIn)).toBe(help);
});
