import { expect, it } from '@jest/globals';
import { installHelp } from '../manifests/manifest-help.fixture';
import { memoryFiles } from '../manifests/manifests.fixture';
import { runMigrate } from './migrate.fixture';

const help = `Usage: reroll migrate [flags]

Migrates.

Options:
  -h, --help  print this help

Manifests:
  -f, --filename              Manifests in YAML or JSON: a file, a directory
                              with all below it, or - for standard input.
                              Accepts a list of paths.
  -n, --namespace             Namespace of the objects that name none, otherwise
                              default. Without files, the namespace to read.
                              Accepts a namespace.
  -o, --output                Format of the findings. Accepts text, json.
                              (default text)

Cluster:
  -A, --all-namespaces        Read all namespaces of the cluster. (default
                              false)
  --kubeconfig                Reach the cluster with this kubeconfig; otherwise
                              KUBECONFIG, ~/.kube/config, or the pod. Accepts a
                              path.
  --context                   Context of the kubeconfig; otherwise the
                              kubeconfig's current one. Accepts the name of a
                              context.
  --timeout                   How long each request may take. Accepts a Go
                              duration such as 500ms, 10s or 1m. (default 10s)

${installHelp}
Exit codes:
  0  nothing to write, and nothing behaves differently
  1  something to write, or something that behaves differently
  2  wrong flags, or something that cannot be read

Examples:
  reroll migrate -f deploy/
  helm template . | reroll migrate -f - -n shop
  reroll migrate -A
  kubectl reroll migrate -n shop
`;

it('reroll migrate --help', async () => {
  expect(await runMigrate(['--help'], memoryFiles({}))).toEqual({ code: 0, out: help, err: '' });
});
