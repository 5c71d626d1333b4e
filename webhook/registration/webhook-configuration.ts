import { checkAnnotations } from '../../shared/domain/content-check/check-settings';
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
  /** `namespace/name` of a Certificate of cert-manager, whose CA it is to put in; undefined: `reroll certs` does it. */
  readonly injectCaFrom?: string | undefined;
}

const kinds = {
  validating: 'ValidatingWebhookConfiguration',
  mutating: 'MutatingWebhookConfiguration',
} as const;

/** `reroll certs` looks for this name. */
const configurationName = 'reroll';

/** A cluster must come up without us, and its control plane writes ConfigMaps while it does. */
const systemNamespaces = ['kube-system', 'kube-public', 'kube-node-lease'];

interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

const checkNames = JSON.stringify(checkAnnotations);

/** The checks of its content that stand on the object stand there otherwise than before. */
const asksAnew =
  `(has(object.metadata.annotations) && ${checkNames}.exists(name, name in object.metadata.annotations && ` +
  '(!has(oldObject.metadata.annotations) || !(name in oldObject.metadata.annotations) || ' +
  'object.metadata.annotations[name] != oldObject.metadata.annotations[name])))';

interface Hook {
  readonly resource: string;
  readonly group: string;
  readonly version: string;
  /** Of sources alone. */
  readonly kind?: SourceKind;
  readonly conditions: readonly MatchCondition[];
}

const core = { group: '', version: 'v1' } as const;

/** What of each kind is worth a call: a row is one webhook, so that the API server's metrics tell them apart. */
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
        // This is also what keeps leader locks away: they live in an annotation.
        name: 'data-changed',
        expression: `request.operation != "UPDATE" || ${differs('data')} || ${differs('binaryData')} || ${asksAnew}`,
      },
    ],
  },
  {
    ...core,
    resource: 'secrets',
    kind: 'Secret',
    conditions: [
      {
        // Helm writes its own bookkeeping through us otherwise; tokens are nobody's configuration.
        name: 'not-bookkeeping',
        expression:
          '!has(object.type) || !(object.type in ["helm.sh/release.v1", "kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"])',
      },
      { name: 'data-changed', expression: `request.operation != "UPDATE" || ${differs('data')} || ${asksAnew}` },
    ],
  },
];

/** A Job is not among them: its template cannot change, and its annotations need no rollout. */
const mutatedKinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Rollout'] as const;

/** Of workloads that ask for restarts, by the names of annotations that are not given by flags, what concerns us. */
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
  /** Most of its objects are made by controllers, with the annotations of what they were made from. */
  readonly isMadeByControllers: boolean;
}

/** What is restarted, and two kinds that look as if they were. */
const lintedKinds: readonly LintedKind[] = [
  ...workloadKinds.map((kind) => ({ ...kind, isMadeByControllers: kind.kind === 'Job' })),
  ...[
    { group: 'apps', version: 'v1', plural: 'replicasets' },
    { ...core, plural: 'replicationcontrollers' },
  ].map((resource) => ({ resource, templatePath: defaultTemplatePath, isMadeByControllers: true })),
];

/** Of what has a name that looks like one of ours, as an annotation or by mistake as a label, what concerns us. */
function lintHook({ resource, templatePath, isMadeByControllers }: LintedKind): Hook {
  // A CronJob has a template of Jobs around that of pods, and things are written there too.
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

/** What stands at a path, or `{}`: a Rollout may take its template from elsewhere. */
function existing(path: readonly string[]): string {
  const fields = path.slice(1).map((_field, index) => `has(${path.slice(0, index + 2).join('.')})`);
  return `(${fields.join(' && ')} ? ${path.join('.')} : {})`;
}

function hooksOf(type: HookType, selection: WebhookSelection | undefined): readonly Hook[] {
  const sources = sourceHooks.filter(({ kind }) => kind && selection?.ignoredSourceKinds.includes(kind) !== true);
  return [...sources, ...(type === 'mutating' ? mutatedKinds.map(workloadHook) : lintedKinds.map(lintHook))];
}

/** A field that is missing would be an error, and under `failurePolicy: Ignore` an error means never to be called. */
function differs(field: string): string {
  return `${existing(['object', field])} != ${existing(['oldObject', field])}`;
}

/**
 * A registration that cannot hurt a cluster: it fails open within two seconds, leaves the system's namespaces and our own
 * alone, and is called for real changes of data only, and for what is to be checked.
 *
 * It has neither caBundle nor path, which holds the token: these fields are of whoever keeps them, and two owners would
 * fight.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export function webhookConfiguration(
  type: HookType,
  { namespace, name, injectCaFrom }: WebhookService,
  selection?: WebhookSelection,
) {
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
      // Labels select sources: those of workloads say nothing.
      ...selectors(sourceKind ? selection : selection && { ...selection, sourceSelector: everything }, [
        ...systemNamespaces,
        namespace,
      ]),
      matchConditions: [
        {
          name: 'not-own-write',
          expression: `!has(request.userInfo.username) || !request.userInfo.username.startsWith("system:serviceaccount:${namespace}:")`,
        },
        ...conditions,
      ],
    })),
  };
}
