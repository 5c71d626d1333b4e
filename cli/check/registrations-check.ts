import { readBundle } from '../../shared/runtime/tls/certificate-bundle';
import { valueOf } from '../evidence/seen';
import { enumerated } from '../output/phrases';
import type { Facts } from '../parts/facts';
import type { RegisteredWebhook } from '../parts/registered-webhook';
import { failed, ok, together, unknown, warning, type Check, type Finding } from './finding';

/** A write waits so long for each call at most, if the webhook does not answer. */
const longTimeoutSeconds = 5;

/** The API server knows the webhook, whom to trust, and the token; and it goes on without the webhook. */
export const registrationsCheck: Check = {
  name: 'registrations',
  look: async (facts) => {
    const registered = await facts.registered();
    if (registered.is === 'hidden') return unknown(registered.right);
    const all = registered.is === 'there' ? registered.value : [];
    const seen = await facts.part('webhook');
    const webhook = valueOf(seen);
    const { rerollNamespace: namespace } = facts.options;
    if (all.length === 0) {
      const none = `no configuration calls Service ${namespace}/${await facts.webhookService()}`;
      if (seen.is === 'hidden') return unknown(`${none}, and whether the webhook runs is not known: ${seen.right}`);
      if (!webhook || webhook.replicas === 0) return ok('there is no webhook, and none is registered');
      return warning(
        `the webhook runs, and ${none}: nobody learns who made a change`,
        'helm upgrade, or kubectl apply -f deploy/webhook.yaml',
      );
    }
    const names = [...new Set(all.map(({ configuration }) => configuration))];
    const keeper = all.some(({ isInjected }) => isInjected) ? 'cert-manager' : 'reroll certs';
    return together(
      ok(`${enumerated(names)}, ${all.length} webhooks`),
      ...(webhook?.replicas === 0 ? [withoutPods(names)] : []),
      trusted(facts, all, keeper),
      ofSome(
        all.filter(({ hasToken }) => !hasToken),
        'no token in the path',
        failed,
        'reroll certs sets it within a minute: see its log, and /readyz?verbose on port 9090',
      ),
      ofSome(
        all.filter(({ failurePolicy }) => failurePolicy !== 'Ignore'),
        'failurePolicy is not Ignore, so writes fail while the webhook is down',
        warning,
        'set failurePolicy: Ignore',
      ),
      ofSome(
        all.filter(({ timeoutSeconds }) => timeoutSeconds > longTimeoutSeconds),
        `timeoutSeconds is over ${longTimeoutSeconds}, so writes wait long while the webhook is down`,
        warning,
        'set timeoutSeconds: 2 (webhook.timeoutSeconds of the chart)',
      ),
    );
  },
};

function withoutPods(names: readonly string[]): Finding {
  return failed(
    'the webhook is registered and has 0 replicas: every write waits for its timeout',
    `scale it up, or remove ${enumerated(names)}`,
  );
}

function trusted(facts: Facts, all: readonly RegisteredWebhook[], keeper: string): Finding {
  const nowMs = facts.nowMs();
  const fix = `${keeper} sets the caBundle: see its log`;
  const bundles = all.map((webhook) => ({ webhook, certificates: readBundle(webhook.caBundle) }));
  const without = bundles.filter(({ certificates }) => certificates.length === 0).map(({ webhook }) => webhook);
  const expired = bundles.flatMap(({ webhook, certificates }) => {
    const ends = certificates.map(({ validTo }) => Date.parse(validTo));
    return ends.length > 0 && Math.max(...ends) <= nowMs ? [webhook] : [];
  });
  const isMixed = new Set(all.map(({ caBundle }) => caBundle)).size > 1;
  return together(
    ok(''),
    ofSome(without, 'the caBundle holds no certificate', failed, fix),
    ofSome(expired, 'all certificates of the caBundle have expired', failed, fix),
    ...(isMixed ? [warning('the webhooks do not all have the same caBundle', fix)] : []),
  );
}

function ofSome(webhooks: readonly RegisteredWebhook[], what: string, state: typeof failed, fix: string): Finding {
  if (webhooks.length === 0) return ok('');
  return state(`${enumerated([...new Set(webhooks.map(({ name }) => name))])}: ${what}`, fix);
}
