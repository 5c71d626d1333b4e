import { systemNamespaces } from '../../shared/domain/kubernetes/system-namespaces';
import { ownPrefix } from '../../shared/domain/annotations/annotations';
import type { SourceKind } from '../../shared/domain/sources/source';
import {
  defaultTemplatePath,
  workloadKind,
  workloadKinds,
  type WorkloadKind,
} from '../../shared/domain/kubernetes/workload-kinds';
import { everything } from '../../shared/domain/kubernetes/selector';
import { selectors, type WebhookSelection } from './selection';

/** A ValidatingWebhookConfiguration or a MutatingWebhookConfiguration. */
export type HookType = 'validating' | 'mutating';

/** Where the API server finds the webhook. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name` of the Certificate whose CA cert-manager injects; undefined if `reroll certs` sets the CA. */
  readonly injectCaFrom?: string | undefined;
  /** ServiceAccount of the reconciler, in the same namespace; undefined if it is unknown: then it may be any. */
  readonly reconcilerAccount?: string | undefined;
}

const kinds = {
  validating: 'ValidatingWebhookConfiguration',
  mutating: 'MutatingWebhookConfiguration',
} as const;

/** `reroll certs` looks for this name. */
const configurationName = 'reroll';

interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/**
 * An annotation of ours is new, or another one than before: it asks for a content check, or says when restarts may
 * begin. The prefix, so that a typo is seen too.
 */
const annotatedAnew =
  `(has(object.metadata.annotations) && object.metadata.annotations.exists(name, name.startsWith("${ownPrefix}") && ` +
  '(!has(oldObject.metadata.annotations) || !(name in oldObject.metadata.annotations) || ' +
  'object.metadata.annotations[name] != oldObject.metadata.annotations[name])))';

interface Hook {
  readonly resource: string;
  readonly group: string;
  readonly version: string;
  /** Only for sources. */
  readonly kind?: SourceKind;
  readonly conditions: readonly MatchCondition[];
}

const core = { group: '', version: 'v1' } as const;

/** The writes that are worth a call. Each row is one webhook, so that the API server's metrics tell the kinds apart. */
const sourceHooks: readonly Hook[] = [
  {
    ...core,
    resource: 'configmaps',
    kind: 'ConfigMap',
    conditions: [
      {
        name: 'not-generated',
        expression: '!has(request.name) || !(request.name in ["kube-root-ca.crt", "istio-ca-root-cert"])',
      },
      {
        // This also excludes leader election locks, which are kept in an annotation.
        name: 'data-changed',
        expression: `request.operation != "UPDATE" || ${differs('data')} || ${differs('binaryData')} || ${annotatedAnew}`,
      },
    ],
  },
  {
    ...core,
    resource: 'secrets',
    kind: 'Secret',
    conditions: [
      {
        // Helm's release records and tokens are not configuration.
        name: 'not-bookkeeping',
        expression:
          '!has(object.type) || !(object.type in ["helm.sh/release.v1", "kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"])',
      },
      { name: 'data-changed', expression: `request.operation != "UPDATE" || ${differs('data')} || ${annotatedAnew}` },
    ],
  },
];

/** Without Job: its template cannot change, and its annotations cause no rollout. */
const mutatedKinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Rollout'] as const;

/** Writes of workloads that opt in by annotations with default names: the webhook does not know names set by flags. */
function workloadHook(name: (typeof mutatedKinds)[number]): Hook {
  const { resource, templatePath } = workloadKind(name);
  const template = (object: string): string => existing([object, ...templatePath]);
  const annotations = (...owner: readonly string[]): string => existing([...owner, 'metadata', 'annotations']);
  const asks = (...owner: readonly string[]): string =>
    `${annotations(...owner)}.exists(key, key.contains("reloader.stakater.com/") || key.startsWith("${ownPrefix}"))`;
  return {
    ...{ resource: resource.plural, group: resource.group, version: resource.version },
    conditions: [
      { name: 'opted-in', expression: `${asks('object')} || ${asks('object', ...templatePath)}` },
      {
        name: 'template-or-annotations-changed',
        expression:
          `request.operation != "UPDATE" || ${template('object')} != ${template('oldObject')} || ` +
          `${annotations('object')} != ${annotations('oldObject')}`,
      },
    ],
  };
}

interface LintedKind extends Pick<WorkloadKind, 'resource' | 'templatePath'> {
  /** Controllers create most of these objects, and copy the owner's annotations to them. */
  readonly isMadeByControllers: boolean;
}

/** The kinds that Reroll restarts, and two that people may expect it to restart. */
const lintedKinds: readonly LintedKind[] = [
  ...workloadKinds.map((kind) => ({ ...kind, isMadeByControllers: kind.kind === 'Job' })),
  ...[
    { group: 'apps', version: 'v1', plural: 'replicasets' },
    { ...core, plural: 'replicationcontrollers' },
  ].map((resource) => ({ resource, templatePath: defaultTemplatePath, isMadeByControllers: true })),
];

/** Writes of objects with an annotation, or by mistake a label, whose name looks like one of ours. */
function lintHook({ resource, templatePath, isMadeByControllers }: LintedKind): Hook {
  // A CronJob has a Job template around its pod template, and people annotate that one too.
  const outermost = templatePath.slice(0, 2);
  const owners = [[], ...(outermost.length < templatePath.length ? [outermost] : []), templatePath];
  const texts = (object: string, owner: readonly string[]): readonly string[] =>
    ['annotations', 'labels'].map((field) => existing([object, ...owner, 'metadata', field]));
  const isOurs = 'key.contains("reloader") || key.contains("stakater") || key.startsWith("reroll")';
  const written = owners.flatMap((owner) => texts('object', owner)).join(', ');
  const judged = (object: string): string => `[${[existing([object, ...outermost]), ...texts(object, [])].join(', ')}]`;
  const owning = existing(['object', 'metadata', 'ownerReferences']);
  return {
    ...{ resource: resource.plural, group: resource.group, version: resource.version },
    conditions: [
      { name: 'looks-like-ours', expression: `[${written}].exists(texts, texts.exists(key, ${isOurs}))` },
      {
        name: 'template-or-metadata-changed',
        expression: `request.operation != "UPDATE" || ${judged('object')} != ${judged('oldObject')}`,
      },
      ...(isMadeByControllers
        ? [
            {
              name: 'not-controlled',
              expression: `!${owning}.exists(owner, has(owner.controller) && owner.controller)`,
            },
          ]
        : []),
    ],
  };
}

/** The value at a path, or `{}`: for example, a Rollout with a workload ref has no template. */
function existing(path: readonly string[]): string {
  const fields = path.slice(1).map((_field, index) => `has(${path.slice(0, index + 2).join('.')})`);
  return `(${fields.join(' && ')} ? ${path.join('.')} : {})`;
}

function hooksOf(type: HookType, selection: WebhookSelection | undefined): readonly Hook[] {
  const sources = sourceHooks.filter(({ kind }) => kind && selection?.ignoredSourceKinds.includes(kind) !== true);
  return [...sources, ...(type === 'mutating' ? mutatedKinds.map(workloadHook) : lintedKinds.map(lintHook))];
}

/** Reading a missing field would be an error, and with `failurePolicy: Ignore` an error skips the webhook. */
function differs(field: string): string {
  return `${existing(['object', field])} != ${existing(['oldObject', field])}`;
}

/**
 * A configuration that cannot hurt a cluster: it fails open within two seconds, excludes the system namespaces and
 * Reroll's own, and calls the webhook only for real changes of data and of Reroll's annotations.
 *
 * It sets neither caBundle nor path, which holds the token: `reroll certs` or cert-manager own these fields, and two
 * owners would overwrite each other.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export function webhookConfiguration(
  type: HookType,
  { namespace, name, injectCaFrom, reconcilerAccount }: WebhookService,
  selection?: WebhookSelection,
) {
  const accounts = `system:serviceaccount:${namespace}:`;
  const isOthers =
    reconcilerAccount === undefined
      ? `!request.userInfo.username.startsWith("${accounts}")`
      : `request.userInfo.username != "${accounts}${reconcilerAccount}"`;
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: kinds[type],
    metadata: {
      name: configurationName,
      ...(injectCaFrom !== undefined && { annotations: { 'cert-manager.io/inject-ca-from': injectCaFrom } }),
    },
    webhooks: hooksOf(type, selection).map(({ resource, group, version, conditions, kind: sourceKind }) => ({
      name: `${resource}.webhook.reroll.dev`,
      clientConfig: { service: { namespace, name, port: 443 } },
      rules: [
        {
          apiGroups: [group],
          apiVersions: [version],
          resources: [resource],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
      ],
      failurePolicy: 'Ignore',
      timeoutSeconds: 2,
      sideEffects: 'NoneOnDryRun',
      matchPolicy: 'Equivalent',
      admissionReviewVersions: ['v1'],
      // The label selector applies to sources only.
      ...selectors(sourceKind ? selection : selection && { ...selection, sourceSelector: everything }, [
        ...systemNamespaces,
        namespace,
      ]),
      matchConditions: [
        {
          name: 'not-own-write',
          expression: `!has(request.userInfo.username) || ${isOthers}`,
        },
        ...conditions,
      ],
    })),
  };
}
