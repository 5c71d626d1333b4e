import { fieldAt, listOf, objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeObject } from '../../shared/kube/client/objects';
import { optionEnv, type OptionRow } from '../../shared/runtime/options/option-table';
import type { Environment } from '../../shared/runtime/options/options';
import { argsOf, variablesOf } from '../evidence/install';

/** The commands of Reroll that run in a cluster. */
export const components = ['reconciler', 'webhook', 'certs'] as const;
export type Component = (typeof components)[number];

export const componentLabel = 'app.kubernetes.io/component';

/** A Deployment of Reroll. */
export interface Part {
  readonly component: Component;
  /** The Deployment's name. */
  readonly name: string;
  readonly replicas: number;
  readonly available: number;
  /** As its label says. */
  readonly version: string | undefined;
  readonly image: string | undefined;
  readonly account: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly object: KubeObject;
}

/**
 * The component that pods with such a specification are; undefined if they are none of Reroll's. Others have the label
 * too: so cert-manager labels its webhook.
 */
export function componentOf({ metadata: { labels = {} } }: KubeObject, podSpec: unknown): Component | undefined {
  const component = components.find((each) => each === labels[componentLabel]);
  // The image runs the reconciler also if nothing names it.
  if (component === undefined || component === 'reconciler') return component;
  const words = listOf(fieldAt(podSpec, ['containers'])).flatMap((container) => {
    const { command, args } = objectOf(container);
    return [...listOf(command), ...listOf(args)];
  });
  return words.includes(component) ? component : undefined;
}

/** Undefined for a Deployment that is none of Reroll's. */
export function partOf(object: KubeObject): Part | undefined {
  const { name, labels = {} } = object.metadata;
  const pod = fieldAt(object, ['spec', 'template', 'spec']);
  const component = componentOf(object, pod);
  if (!component) return undefined;
  const containers = listOf(fieldAt(pod, ['containers'])).map(objectOf);
  const container = containers.find((each) => argsOf(each).includes(component)) ?? containers[0] ?? {};
  return {
    ...{ component, name, object, args: argsOf(container) },
    replicas: numberOf(fieldAt(object, ['spec', 'replicas'])) ?? 1,
    available: numberOf(fieldAt(object, ['status', 'availableReplicas'])) ?? 0,
    version: labels['app.kubernetes.io/version'],
    image: textOf(container['image']),
    account: textOf(fieldAt(pod, ['serviceAccountName'])) ?? 'default',
    env: variablesOf(object, container),
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The value of a flag of a part, or of its variables; undefined if none is set. A switch without a value is `true`. */
export function flagOf(
  { args, env }: Pick<Part, 'args' | 'env'>,
  row: Pick<OptionRow, 'flag' | 'fallbackEnv'>,
): string | undefined {
  const index = args.findLastIndex((arg) => /^--?([^=]+)/.exec(arg)?.[1] === row.flag);
  const arg = args[index];
  if (arg === undefined) {
    const values = [optionEnv(row as OptionRow), row.fallbackEnv].map((variable) => env[variable ?? '']);
    return values.find((value) => value !== undefined && value.trim() !== '');
  }
  if (arg.includes('=')) return arg.slice(arg.indexOf('=') + 1);
  const next = args[index + 1];
  return next === undefined || next.startsWith('-') ? 'true' : next;
}
