import * as z from 'zod';
import type { Resource } from '../../shared/kube/resource';
import { configMaps, secrets } from '../../shared/kube/resource';
import { ForbiddenError, KubeError } from '../../shared/kube/errors';
import { missingRight } from '../cluster/silence';
import { look, valueOf } from '../evidence/seen';
import type { Facts } from '../parts/facts';
import type { RegisteredWebhook } from '../parts/registered-webhook';
import { labelsFor } from '../parts/registered-webhook';
import { isWebhookAnswering } from '../parts/webhook-trial';
import { namespaceToTry } from '../parts/tried-namespace';
import { failed, ok, unknown, type Check, type Finding } from './finding';
import { whyUnanswered } from './unanswered-call';

/** What this version registers. Others may keep the API server from calling for the trial. */
const ownConditions = ['not-own-write', 'not-generated', 'not-bookkeeping', 'data-changed'];

interface Attempt {
  readonly resource: Resource;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined: it is not known how the webhook is registered, and the right that is missing to know. */
  readonly hook: RegisteredWebhook | undefined;
  readonly right: string | undefined;
}

/** The API server calls the webhook, and gets its answer: tried with a dry run, which stores nothing. */
export const callCheck: Check = {
  name: 'webhook-call',
  look: async (facts) => {
    const webhook = await facts.part('webhook');
    if (valueOf(webhook)?.replicas === 0) return ok('there is no webhook');
    const attempt = await attemptOf(facts);
    if ('state' in attempt) return attempt;
    const { namespace } = attempt;
    try {
      if (await tried(facts, attempt)) return ok(`the webhook answered a dry run in namespace ${namespace}`);
    } catch (thrown) {
      return refusedFinding(thrown, namespace);
    }
    return (
      (await excused(facts, attempt)) ??
      (await whyUnanswered(facts, namespace, async () => await tried(facts, attempt)))
    );
  },
};

async function attemptOf(facts: Facts): Promise<Attempt | Finding> {
  const { cluster } = facts.options;
  const registered = await facts.registered();
  if (registered.is === 'hidden') {
    return { resource: configMaps, namespace: cluster.namespace, labels: {}, hook: undefined, right: registered.right };
  }
  for (const resource of [configMaps, secrets]) {
    const hook = valueOf(registered)?.find(({ resources }) => resources.includes(resource.plural));
    if (!hook) continue;
    const namespace = await namespaceToTry(facts, hook.namespaces);
    if (namespace === undefined) {
      return unknown(
        `the webhook is not registered for namespace ${cluster.namespace}, and no other was found to try it in`,
        'name one in which Reroll watches, with -n',
      );
    }
    return { resource, namespace, labels: labelsFor(hook.objects), hook, right: undefined };
  }
  // Its Deployment names the Service that configurations call.
  const webhook = await facts.part('webhook');
  if (webhook.is === 'hidden') return unknown(`it is not known which webhook is to be called: ${webhook.right}`);
  return ok('the webhook is not registered for ConfigMaps or Secrets, so it is not called');
}

async function tried(facts: Facts, { resource, namespace, labels }: Attempt): Promise<boolean> {
  const { cluster, timeoutMs } = facts.options;
  const name = `reroll-check-${facts.nowMs().toString(36)}`;
  return await isWebhookAnswering(cluster.client, { resource, namespace, name, labels, timeoutMs });
}

function refusedFinding(thrown: unknown, namespace: string): Finding {
  if (thrown instanceof ForbiddenError && thrown.byRbac)
    return unknown(missingRight(thrown), 'name another namespace with -n');
  if (!(thrown instanceof KubeError)) throw thrown;
  // A registration that fails closed: the API server tells that it cannot call some webhook, and not which.
  if (thrown.status === 500) {
    return failed(
      `the API server refuses writes in namespace ${namespace}, as it does where a webhook with failurePolicy Fail cannot be called`,
      `kubectl -n ${namespace} create configmap reroll-check --dry-run=server says which webhook it is`,
    );
  }
  return unknown(
    `a dry run in namespace ${namespace} was refused: ${thrown.message}`,
    'name another namespace with -n',
  );
}

/** Why the API server may rightly not have called; undefined: it should have. */
async function excused(facts: Facts, { namespace, hook, right }: Attempt): Promise<Finding | undefined> {
  if (!hook) {
    return unknown(
      `no answer to a dry run in namespace ${namespace}; whether the webhook is registered for it is not known: ${right ?? ''}`,
    );
  }
  const foreign = hook.conditions.filter((condition) => !ownConditions.includes(condition));
  if (foreign.length > 0) {
    return unknown(
      `no answer to a dry run in namespace ${namespace}; a matchCondition of your own may be why: ${foreign.join(', ')}`,
    );
  }
  const { rerollNamespace } = facts.options;
  const user = await userName(facts);
  if (user?.startsWith(`system:serviceaccount:${rerollNamespace}:`) !== true) return undefined;
  return unknown(`you are ${user}, for whose writes the webhook is not called`, 'check as another user');
}

const selfReview = z.looseObject({ status: z.looseObject({ userInfo: z.looseObject({ username: z.string() }) }) });

/** Undefined on API servers before 1.28. */
async function userName({ options: { cluster, timeoutMs } }: Facts): Promise<string | undefined> {
  const request = cluster.client.request({
    ...{ method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', timeoutMs },
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  const parsed = selfReview.safeParse(valueOf(await look(request)));
  return parsed.success ? parsed.data.status.userInfo.username : undefined;
}
