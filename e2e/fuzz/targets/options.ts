import { promise, secretMarker, tells, type Target } from '../target';
import { parseCertsOptions } from '../../../certs/options';
import { parseReconcilerOptions } from '../../../reconciler/options/options';
import { UsageError } from '../../../shared/runtime/options/options';
import { parseWebhookOptions } from '../../../webhook/process/options';

const separator = '\n';

/** The command line of each process, one argument per line. Lines like `NAME=value` are environment variables. */
export const target: Target = {
  seeds: [
    ['--auto-reload-all', '--settle=2s', '--namespaces', 'a,b', 'REROLL_LOG_LEVEL=debug'].join(separator),
    ['--webhook-url', 'https://hooks.example/x', 'ALERT_SINK=slack', `ALERT_WEBHOOK_URL=${secretMarker}`].join(
      separator,
    ),
    ['--resource-label-selector=env in (a,b)', '--metrics-address=:9090', '--setle=1s'].join(separator),
    ['--namespace=reroll', '--webhook-service=w', '--ca-validity=8760h'].join(separator),
  ],
  maxBytes: 16 * 1024,
  run: (input) => {
    const lines = input.toString('utf8').split(separator);
    const variables = lines.filter((line) => /^[A-Za-z_]\w*=/.test(line));
    const env = Object.fromEntries(
      variables.map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]),
    );
    const args = lines.filter((line) => !variables.includes(line));
    for (const parse of [parseReconcilerOptions, parseWebhookOptions, parseCertsOptions]) {
      const complaint = complaintOf(() => parse(args, env));
      promise(args.some(tells) || !tells(complaint), 'a complaint tells nothing of the environment');
    }
  },
};

/**
 * The complaint about a command line; empty if there is none. It may have any length, because it reports every mistake
 * to whoever wrote the command line.
 */
function complaintOf(parse: () => object): string {
  try {
    promise(Object.keys(parse()).length > 0, 'options are there, or refused');
    return '';
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.message;
    throw thrown;
  }
}
