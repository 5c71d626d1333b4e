import { expect, it } from '@jest/globals';
import { zeroRandom } from '../../shared/kube/client/client.fixture';
import { connectionHelp, helpOf } from '../cluster/cluster-help.fixture';
import { uiCommandIn } from './ui-command';

const help = `Usage: reroll ui [flags]

Asks.

Options:
  -h, --help  print this help

What is asked:
  -n, --namespace             Namespace that the page shows; otherwise all.
                              Accepts a namespace.

Page:
  --port                      Port on 127.0.0.1; 0: one that is free. Accepts a
                              port. (default 0)
  --no-open                   Print the address of the page, and open no
                              browser. (default false)

${connectionHelp}
Exit codes:
  1    the page cannot be served: another process uses the port
  2    wrong flags or arguments
  3    no connection
  130  ended by Ctrl-C

Examples:
  reroll ui
  reroll ui -n shop --port 8088 --no-open
  kubectl reroll ui --context=production
`;

it('reroll ui --help', async () => {
  const launch = (): void => undefined;
  expect(await helpOf('ui', (world) => uiCommandIn({ ...world, random: zeroRandom, platform: 'linux', launch }))).toBe(
    help,
  );
});
