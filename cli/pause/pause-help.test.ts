import { expect, it } from '@jest/globals';
import { connectionHelp, helpOf } from '../cluster/cluster-help.fixture';
import { pauseCommandIn } from './pause-command';

const help = `Usage: reroll pause [KIND/NAME] [flags]

Asks.

Options:
  -h, --help  print this help

What is held:
  -n, --namespace             Namespace of the object; otherwise the context's.
                              Accepts a namespace.
  --all                       Everything that the install restarts: ConfigMap
                              reroll-hold in its namespace. (default false)

How long, and why:
  --until                     When the hold ends by itself; otherwise with
                              reroll resume. Accepts a time such as
                              2026-12-01T06:00:00Z.
  --for                       How long it holds, instead of --until. Accepts a
                              Go duration such as 30m or 48h.
  --because                   Why, for whoever asks why nothing restarts.
                              Accepts a text such as "release freeze".

Output:
  -o, --output                Format of the answer. Accepts text, json, yaml,
                              name. (default text)

${connectionHelp}
Exit codes:
  0    done
  1    nothing was changed: there is no such object, or a hold would have no
       effect
  2    wrong flags or arguments
  3    no connection, or no right to change the object
  130  ended by Ctrl-C

Examples:
  reroll pause deployment/web -n shop --for 2h
  reroll pause configmap/app --until 2026-12-01T06:00:00Z
  reroll pause namespace/shop --because "release freeze"
  kubectl reroll pause --all --because "incident 42"
`;

it('reroll pause --help', async () => {
  expect(await helpOf('pause', pauseCommandIn)).toBe(help);
});
