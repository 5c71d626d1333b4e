import { sleep } from '../../shared/runtime/clock';
import { renderedForMs } from '../../shared/runtime/http/shared-rendering';
import { valueOf, type Seen } from '../evidence/seen';
import { metricSum } from '../parts/metric-values';
import { flagOf } from '../parts/part';
import { reviewPortOf } from '../parts/pod';
import type { Facts, PodMetrics } from '../parts/facts';
import { failed, warning, type Finding } from './finding';

/** What all pods of the webhook have counted. */
interface Counts {
  readonly reviews: number;
  readonly strangers: number;
  readonly handshakes: number;
}

/** Tries again, and says by what the webhook has counted meanwhile why the API server got no answer. */
export async function whyUnanswered(
  facts: Facts,
  namespace: string,
  tryAgain: () => Promise<boolean>,
): Promise<Finding> {
  const says = `the webhook did not answer a dry run in namespace ${namespace}, and writes go on without it`;
  const before = await facts.webhookMetrics();
  if (await tryAgain())
    return warning(`${says}; it answered another`, 'check again: it may have just started, or be slow');
  // Until then, a pod may answer with metrics that it rendered before the call.
  await sleep(facts.options.clock, renderedForMs);
  const after = await facts.webhookMetrics();
  if (before.is !== 'there' || after.is !== 'there') {
    const right = [before, after].find(({ is }) => is === 'hidden');
    const because = right?.is === 'hidden' ? `; why is not known: ${right.right}` : '';
    return failed(says + because, "the log of the API server has 'failed calling webhook', with the reason");
  }
  const grown = difference(countsOf(before), countsOf(after));
  if (grown.handshakes > 0) return await failedHandshakes(facts, says);
  if (grown.strangers > 0) {
    return failed(
      `${says}: the webhook does not know the token of the calls`,
      'reroll certs sets it within a minute: see its log, and /readyz?verbose on port 9090',
    );
  }
  if (grown.reviews > 0) {
    return failed(`${says}: calls arrive, and are not answered in time`, 'see docs/runbooks/reroll-admission-slow.md');
  }
  const [pod] = valueOf(await facts.readyWebhookPods()) ?? [];
  return failed(
    `${says}: no call arrives`,
    `let the API server reach the pods of the webhook on port ${reviewPortOf(pod)}: see firewalls, NetworkPolicies, and the row endpoints`,
  );
}

async function failedHandshakes(facts: Facts, says: string): Promise<Finding> {
  const webhook = valueOf(await facts.part('webhook'));
  const rows = 'see the rows registrations and certificate';
  // The webhook counts both: whoever does not trust it, and whom it does not trust.
  if (webhook && flagOf(webhook, { flag: 'client-ca-file' }) !== undefined) {
    return failed(
      `${says}: handshakes fail, so the API server does not trust the certificate, or has none that --client-ca-file accepts`,
      `${rows}; give the API server a client certificate, as in docs/webhook.md`,
    );
  }
  return failed(`${says}: handshakes fail, so the API server does not trust the certificate`, rows);
}

function countsOf(seen: Seen<readonly PodMetrics[]>): Counts {
  const texts = (valueOf(seen) ?? []).map(({ text }) => text);
  const total = (name: string, labels?: Readonly<Record<string, string>>): number =>
    texts.reduce((sum, text) => sum + (metricSum(text, name, labels) ?? 0), 0);
  const strangers = total('reroll_webhook_requests_total', { path: 'other' });
  return {
    strangers,
    reviews: total('reroll_webhook_requests_total') - strangers,
    handshakes: total('reroll_webhook_tls_errors_total'),
  };
}

function difference(before: Counts, after: Counts): Counts {
  return {
    reviews: after.reviews - before.reviews,
    strangers: after.strangers - before.strangers,
    handshakes: after.handshakes - before.handshakes,
  };
}
