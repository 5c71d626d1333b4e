import { fieldAt, listOf, objectOf, textOf, textsOf } from '../../shared/domain/kubernetes/json-value';
import { Selector, type Requirement } from '../../shared/domain/kubernetes/selector';
import type { KubeObject } from '../../shared/kube/client/objects';

export type HookPath = 'validate' | 'mutate';

/** One of Reroll's webhooks in a configuration. Its path holds a secret, so the path is not kept. */
export interface RegisteredWebhook {
  /** `ValidatingWebhookConfiguration reroll`. */
  readonly configuration: string;
  readonly hook: HookPath;
  /** `configmaps.webhook.reroll.dev` */
  readonly name: string;
  readonly resources: readonly string[];
  /** PEM; empty if there is none. */
  readonly caBundle: string;
  readonly hasToken: boolean;
  readonly failurePolicy: string;
  readonly timeoutSeconds: number;
  readonly namespaces: Selector;
  readonly objects: Selector;
  /** Names of its matchConditions. */
  readonly conditions: readonly string[];
  /** cert-manager sets the caBundle. */
  readonly isInjected: boolean;
}

const tokenPaths: Readonly<Record<HookPath, RegExp>> = {
  validate: /^\/validate\/[0-9a-f]{64}$/,
  mutate: /^\/mutate\/[0-9a-f]{64}$/,
};

/** The webhooks of a configuration that call a Service in Reroll's namespace. */
export function webhooksOf(
  kind: string,
  hook: HookPath,
  { metadata, webhooks }: KubeObject,
  { namespace, service }: { readonly namespace: string; readonly service: string },
): readonly RegisteredWebhook[] {
  return listOf(webhooks).flatMap((webhook): readonly RegisteredWebhook[] => {
    const called = objectOf(fieldAt(webhook, ['clientConfig', 'service']));
    if (called['namespace'] !== namespace || called['name'] !== service) return [];
    const { name, failurePolicy, timeoutSeconds, rules, matchConditions } = objectOf(webhook);
    return [
      {
        ...{ configuration: `${kind} ${metadata.name}`, hook, name: textOf(name) ?? '' },
        resources: listOf(rules).flatMap((rule) => textsOf(objectOf(rule)['resources'])),
        caBundle: Buffer.from(textOf(fieldAt(webhook, ['clientConfig', 'caBundle'])) ?? '', 'base64').toString('utf8'),
        hasToken: tokenPaths[hook].test(textOf(called['path']) ?? ''),
        failurePolicy: textOf(failurePolicy) ?? 'Fail',
        timeoutSeconds: typeof timeoutSeconds === 'number' ? timeoutSeconds : 10,
        namespaces: selectorOf(fieldAt(webhook, ['namespaceSelector'])),
        objects: selectorOf(fieldAt(webhook, ['objectSelector'])),
        conditions: listOf(matchConditions).flatMap((condition) => textOf(objectOf(condition)['name']) ?? []),
        isInjected: metadata.annotations?.['cert-manager.io/inject-ca-from'] !== undefined,
      },
    ];
  });
}

/** A LabelSelector of the API. */
function selectorOf(selector: unknown): Selector {
  const { matchLabels, matchExpressions } = objectOf(selector);
  const labels = Object.entries(objectOf(matchLabels)).map(([key, value]): Requirement => ({
    key,
    operator: 'in',
    values: [textOf(value) ?? ''],
  }));
  return new Selector('', [...labels, ...listOf(matchExpressions).flatMap(requirementOf)]);
}

function requirementOf(expression: unknown): readonly Requirement[] {
  const { key, operator, values } = objectOf(expression);
  if (typeof key !== 'string') return [];
  switch (operator) {
    case 'In':
      return [{ key, operator: 'in', values: textsOf(values) }];
    case 'NotIn':
      return [{ key, operator: 'notin', values: textsOf(values) }];
    case 'Exists':
      return [{ key, operator: 'exists' }];
    case 'DoesNotExist':
      return [{ key, operator: 'absent' }];
    default:
      return [];
  }
}

/** Labels that a selector accepts. */
export function labelsFor({ requirements }: Selector): Readonly<Record<string, string>> {
  return Object.fromEntries(
    requirements.flatMap((requirement) => {
      if (requirement.operator === 'in') return [[requirement.key, requirement.values[0] ?? '']];
      return requirement.operator === 'exists' ? [[requirement.key, 'true']] : [];
    }),
  );
}
