import { errorMessage } from '../../shared/domain/errors';
import { look, valueOf } from '../evidence/seen';
import { within } from '../output/times';
import type { Facts } from '../parts/facts';
import { flagOf } from '../parts/part';
import { reviewPortOf } from '../parts/pod';
import { servedCertificate, type ServedCertificate } from '../parts/served-certificate';
import { failed, ok, together, unknown, warning, type Check, type Finding } from './finding';
import { withoutPod } from './no-pod';

/** Reroll and cert-manager renew when a third of the life is left. A week, or a quarter of the life, is less than that. */
const soonMs = 7 * 24 * 60 * 60_000;
const soonOfLife = 1 / 4;

/** What the webhook presents is valid for a while, is for its Service, and is signed by whom the API server trusts. */
export const certificateCheck: Check = {
  name: 'certificate',
  look: async (facts) => {
    const webhook = valueOf(await facts.part('webhook'));
    const pods = await facts.readyWebhookPods();
    if (webhook?.replicas === 0) return ok('there is no webhook');
    const [pod] = valueOf(pods) ?? [];
    if (!pod) return await withoutPod(facts, pods);
    const host = `${await facts.webhookService()}.${facts.options.rerollNamespace}.svc`;
    const registered = await facts.registered();
    const [hook] = valueOf(registered) ?? [];
    const caBundle = hook?.caBundle === '' ? undefined : hook?.caBundle;
    const opened = await look(facts.options.cluster.forward(pod.name, reviewPortOf(pod)));
    if (opened.is !== 'there') return unknown(opened.is === 'hidden' ? opened.right : `the pod ${pod.name} is gone`);
    const nowMs = facts.nowMs();
    try {
      const served = await facts.within(servedCertificate(opened.value, { host, caBundle }));
      return together(
        judged(served, { host, nowMs, keeper: await keeperOf(facts) }),
        ...(registered.is === 'hidden'
          ? [unknown(`${expiryOf(served, nowMs)}; whether the API server trusts it is not known: ${registered.right}`)]
          : []),
      );
    } catch (thrown) {
      return failed(
        `the pod ${pod.name} presents no certificate: ${errorMessage(thrown)}`,
        `see /readyz?verbose on port 9090 of ${pod.name}`,
      );
    }
  },
};

async function keeperOf(facts: Facts): Promise<string> {
  const isInjected = valueOf(await facts.registered())?.some((webhook) => webhook.isInjected) === true;
  if (isInjected) return 'cert-manager';
  const webhook = valueOf(await facts.part('webhook'));
  return webhook && flagOf(webhook, { flag: 'tls-dir' }) !== undefined
    ? 'whoever fills the Secret of the webhook'
    : 'reroll certs';
}

function expiryOf({ certificate }: ServedCertificate, nowMs: number): string {
  return `it expires ${within(Date.parse(certificate.validTo) - nowMs)}`;
}

function judged(
  served: ServedCertificate,
  { host, nowMs, keeper }: { readonly host: string; readonly nowMs: number; readonly keeper: string },
): Finding {
  const { certificate, problem } = served;
  const untilMs = Date.parse(certificate.validTo);
  const leftMs = untilMs - nowMs;
  const overdueMs = Math.min(soonMs, (untilMs - Date.parse(certificate.validFrom)) * soonOfLife);
  const fix = `${keeper} renews it: see its log`;
  return together(
    ok(`${expiryOf(served, nowMs)}, for ${host}, kept by ${keeper}`),
    ...(leftMs <= 0 ? [failed(`it expired on ${certificate.validTo}`, fix)] : []),
    ...(leftMs > 0 && leftMs < overdueMs ? [warning(expiryOf(served, nowMs), fix)] : []),
    ...(Date.parse(certificate.validFrom) > nowMs
      ? [failed(`it is valid from ${certificate.validFrom} only`, fix)]
      : []),
    ...(certificate.checkHost(host, { subject: 'never' }) === undefined
      ? [
          failed(
            `it is not for ${host}`,
            `issue it for the Service that the configurations name, or set --webhook-service`,
          ),
        ]
      : []),
    ...(problem === undefined
      ? []
      : [
          failed(
            `the caBundle of the registrations does not hold who signed it (${problem})`,
            `${keeper} sets the caBundle: see its log`,
          ),
        ]),
  );
}
