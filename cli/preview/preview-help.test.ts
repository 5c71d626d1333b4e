import { expect, it } from '@jest/globals';
import { zeroRandom } from '../../shared/kube/client/client.fixture';
import { connectionHelp, exitCodesHelp, helpOf } from '../cluster/cluster-help.fixture';
import { memoryFiles } from '../manifests/manifests.fixture';
import { previewCommandIn } from './preview-command';

const help = `Usage: reroll preview [KIND/NAME] [flags]

Asks.

Options:
  -h, --help  print this help

What is asked:
  -n, --namespace             Namespace that is asked about; otherwise the
                              context's. Accepts a namespace.
  -f, --filename              Manifests that would be applied, in YAML or JSON:
                              a file, a directory with all below it, or - for
                              standard input. Accepts a list of paths.
  --set                       Key of the source that would get this value. The
                              value is not sent anywhere. Accepts a list of
                              KEY=VALUE.
  --set-file                  Key of the source that would get the content of
                              this file. Accepts a list of KEY=PATH.
  --unset                     Key of the source that would be removed. Accepts a
                              list of keys.
  --delete                    The source itself would be deleted. (default
                              false)

Output:
  -o, --output                Format of the answer. Accepts text, wide, json,
                              yaml, name. (default text)

${connectionHelp}
Exit codes:
  0    answered
  1    answered: there is no such source, or the API server would refuse the
       change
${exitCodesHelp}
Examples:
  reroll preview -f deploy/
  helm template . | reroll preview -f - -n shop
  reroll preview configmap/app --set color=blue --unset size
  reroll preview secret/db --set-file ca.crt=new-ca.crt
`;

it('reroll preview --help', async () => {
  const commandIn = (world: Parameters<Parameters<typeof helpOf>[1]>[0]) =>
    previewCommandIn({ ...world, files: memoryFiles({}), random: zeroRandom });
  expect(await helpOf('preview', commandIn)).toBe(help);
});
