import { shortened, type AnnotationProblem } from '../annotations/annotation-problem';
import { reviewAnnotations } from '../annotations/annotation-review';
import type { AnnotationKeys } from '../annotations/annotations';
import { annotation, annotationsOf, ownAnnotations, ownFieldManager } from '../annotations/annotations';
import { readBaselineText, referenceProblems } from './cost-problems';
import { readGateSettings, textOfKeys, type GateSettings } from '../gate-settings/gate-settings';
import type { JsonObject } from '../kubernetes/json-value';
import { fieldAt, listOf, objectOf, textOf } from '../kubernetes/json-value';
import { MalformedObjectError } from '../kubernetes/malformed-object-error';
import { readLastRestart, type LastRestart } from './last-restart';
import { managedFieldsOf } from './managed-fields';
import { objectKey } from '../kubernetes/object-key';
import type { Pause } from './pause';
import { readPause } from './pause';
import type { PolicySettings, WorkloadPolicy } from '../policy/policy';
import { optedIn } from '../policy/policy';
import { parsePolicy } from '../policy/policy-annotations';
import type { Reference } from '../sources/references';
import {
  containerOrder,
  firstContainer,
  noReferences,
  sameReferences,
  templateReferences,
} from '../sources/references';
import { observedRevision } from './observed-revision';
import { rolloutProgress, type RolloutProgress } from './rollout-progress';
import { rolloutStatus, type RolloutStatus } from './rollout-status';
import type { RolloutSpec } from './rollout';
import { readRollout } from './rollout';
import { sourceKinds } from '../sources/source';
import { textDigest } from '../sources/content-digest';
import type { WorkloadKind, WorkloadKindName } from '../kubernetes/workload-kinds';
import type { WorkloadSettings } from './workload-settings';
import { readSettings } from './workload-settings';

/**
 * The restart settings and references of a workload. They can be read before it is stored, so admission reviews use
 * them too.
 */
export interface WorkloadSpec {
  readonly policy: WorkloadPolicy;
  /** Empty for a workload that is not opted in. */
  readonly references: readonly Reference[];
  /** Undefined if the workload is not opted in or has no container. */
  readonly firstContainer: string | undefined;
  /** Set if several containers may carry a marker: their names, in the order of the template. */
  readonly containerOrder?: readonly string[];
  readonly baselineText: string | undefined;
  readonly settings: WorkloadSettings;
  /** When it may be restarted; undefined: it does not say. */
  readonly gates?: GateSettings;
  /** Set for an Argo Rollout only. */
  readonly rollout?: RolloutSpec;
  /**
   * When a Rollout that references this Deployment was last seen to change what it asks for. The workload uses its
   * sources since then at the earliest. See WorkloadRefs.
   */
  readonly askedAtMs?: number;
  /**
   * Set for a Rollout that takes its template from a Deployment which a list has just shown: of several writes of the
   * Deployment, a list shows only the last. See WorkloadRefs.
   */
  readonly isTemplateListed?: true;
  /** Set for a Deployment that Reroll pauses, or is to pause. */
  readonly pause?: Pause;
  /** The controlling owner, which would revert or repeat changes to this workload. */
  readonly controlledBy: { readonly kind: string; readonly name: string } | undefined;
  readonly problems: readonly AnnotationProblem[];
}

/** What is kept of a workload: only what a decision needs. */
export interface WorkloadRecord extends WorkloadSpec {
  readonly kind: WorkloadKindName;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /**
   * Of a Deployment: the number of the ReplicaSet that is rolled out, which its controller increments with each rollout.
   * Undefined until the controller has seen the current spec.
   */
  readonly revision?: number | undefined;
  /** The API server's time, whole seconds; 0 if it is missing, so that the workload counts as older than any change. */
  readonly createdAtMs: number;
  /**
   * The time of the newest write by anybody but Reroll to anything but the status, in whole seconds; undefined if there
   * is no such time.
   */
  readonly writtenAtMs: number | undefined;
  readonly deleting: boolean;
  /** Whether its pods match its current template. */
  readonly rolloutStatus: RolloutStatus;
  /** How far its rollout is, as `kubectl rollout status` tells it. */
  readonly progress: RolloutProgress;
  /** The value of the label that names the node pool in `nodeSelector`; undefined: none, or no flag names the label. */
  readonly nodePool?: string;
  /** When Reroll restarted it last. Whoever writes the workload may write this, so it delays a restart at most. */
  readonly lastRestart?: LastRestart;
}

export interface ReadOptions {
  /** Another workload references this one, so its sources are read even if it is not opted in. */
  readonly isReferenced?: boolean;
  /** The label that names the node pool in `nodeSelector`. */
  readonly nodePoolLabel?: string | undefined;
}

/**
 * Problems are kept in memory and written in warnings. Nobody reads more of them, and annotations may hold thousands.
 */
const maxProblems = 20;

const noProblems: readonly AnnotationProblem[] = Object.freeze([]);

/**
 * Reads a workload as the API server sends it. Throws a MalformedObjectError if it has no identity.
 */
export function readWorkload(
  kind: WorkloadKind,
  object: unknown,
  keys: AnnotationKeys,
  policySettings: PolicySettings,
  { isReferenced = false, nodePoolLabel }: ReadOptions = {},
): WorkloadRecord {
  const metadata = objectOf(objectOf(object)['metadata']);
  const identity = (field: string): string => {
    const value = textOf(metadata[field]);
    if (value === undefined) throw malformed(kind.kind, metadata, field);
    return value;
  };
  const { generation } = metadata;
  const lastRestart = readLastRestart(annotation(annotationsOf(object), ownAnnotations.lastRestart));
  const revision = observedRevision(kind.kind, object);
  return {
    kind: kind.kind,
    namespace: identity('namespace'),
    name: identity('name'),
    uid: identity('uid'),
    resourceVersion: identity('resourceVersion'),
    generation: typeof generation === 'number' ? generation : 0,
    ...(revision !== undefined && { revision }),
    createdAtMs: timeMs(metadata['creationTimestamp']) ?? 0,
    writtenAtMs: newestWriteMs(object),
    deleting: textOf(metadata['deletionTimestamp']) !== undefined,
    rolloutStatus: rolloutStatus(kind.kind, object),
    progress: rolloutProgress(kind.kind, object),
    ...(lastRestart && { lastRestart }),
    ...(nodePoolLabel !== undefined && nodePoolOf(kind, object, nodePoolLabel)),
    ...readWorkloadSpec(kind, object, keys, policySettings, isReferenced),
  };
}

/**
 * The part of {@link readWorkload} that needs no identity: an object under creation may have no name yet. Never throws.
 */
export function readWorkloadSpec(
  kind: WorkloadKind,
  object: unknown,
  keys: AnnotationKeys,
  policySettings: PolicySettings,
  isReferenced = false,
): WorkloadSpec {
  const metadata = annotationsOf(object);
  const template = fieldAt(object, kind.templatePath);
  const templateAnnotations = annotationsOf(template);
  const { policy, problems: policyProblems } = parsePolicy(metadata, templateAnnotations, keys);
  const { settings, problems: settingProblems } = readSettings(metadata);
  const { settings: gates, problems: gateProblems } = readGateSettings(metadata, 'workload');
  const reviewed = reviewAnnotations(metadata, templateAnnotations, keys, maxProblems);
  const ofRollout = kind.kind === 'Rollout' ? readRollout(object, metadata, keys) : undefined;
  const { pause, problems: pauseProblems } = readPause(kind, object, metadata, keys);
  const ownProblems = [...settingProblems, ...gateProblems, ...(ofRollout?.problems ?? []), ...pauseProblems];
  const podSpec = isReferenced || optedIn(policy, policySettings) ? objectOf(template)['spec'] : undefined;
  const used = podSpec === undefined ? undefined : templateReferences(podSpec);
  const { baselineText, problems: baselineProblems } = readBaselineText(metadata);
  const order = used && containerOrder(podSpec, used.references);
  const costly = [...baselineProblems, ...(used ? referenceProblems(used, metadata, keys) : [])];
  const problems = [...policyProblems, ...costly, ...ownProblems, ...reviewed];
  return {
    policy,
    references: used?.references ?? noReferences,
    firstContainer: firstContainer(podSpec),
    ...(order && { containerOrder: order }),
    baselineText,
    settings,
    ...(gates && { gates }),
    ...(ofRollout && { rollout: ofRollout.rollout }),
    ...(pause && { pause }),
    controlledBy: controllerOf(object),
    problems: problems.length === 0 ? noProblems : problems.slice(0, maxProblems).map(shortened),
  };
}

/** Changes exactly when a workload's policy, its list of keys or the sources that its template uses change. */
export function trackingSignature(spec: WorkloadSpec): string {
  const policy = sourceKinds.map((kind) => {
    const { leftOut, named, excluded, search, auto } = spec.policy[kind];
    return [leftOut, named.toString(), [...excluded], search, auto];
  });
  const used = spec.references.map(({ kind, name, keys }) => [kind, name, keys]);
  return textDigest(JSON.stringify([policy, used, textOfKeys(spec.gates?.keys)]));
}

/**
 * Whether two states of a workload surely have the same {@link trackingSignature}, which takes longer to compute. Most
 * policies are shared objects. Others are new objects at each reading, and then only the signature can tell.
 */
export function isTrackedAlike(left: WorkloadSpec, right: WorkloadSpec): boolean {
  return (
    left.policy === right.policy &&
    textOfKeys(left.gates?.keys) === textOfKeys(right.gates?.keys) &&
    sameReferences(left.references, right.references)
  );
}

function nodePoolOf({ templatePath }: WorkloadKind, object: unknown, label: string): Pick<WorkloadRecord, 'nodePool'> {
  const pool = textOf(fieldAt(object, [...templatePath, 'spec', 'nodeSelector', label]));
  // A copy: V8 would keep the text of the whole object for a slice of it.
  return pool === undefined ? {} : { nodePool: Buffer.from(pool).toString() };
}

function malformed(kind: string, metadata: JsonObject, field: string): MalformedObjectError {
  const [namespace, name, resourceVersion] = ['namespace', 'name', 'resourceVersion'].map((key) =>
    textOf(metadata[key]),
  );
  const known = [namespace, name].filter((part) => part !== undefined);
  return new MalformedObjectError(
    `${kind} ${known.length === 0 ? 'without a name' : known.join('/')}: metadata.${field} is not a string; ` +
      'read the object again, and if it stays so, look for a proxy or an aggregated API server that drops it',
    { key: namespace !== undefined && name !== undefined ? objectKey(namespace, name) : undefined, resourceVersion },
  );
}

function timeMs(value: unknown): number | undefined {
  const ms = Date.parse(textOf(value) ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

function newestWriteMs(object: unknown): number | undefined {
  let newestMs: number | undefined;
  for (const { subresource, manager, timeMs: writtenMs } of managedFieldsOf(object)) {
    if (subresource === 'status' || manager === ownFieldManager || writtenMs === undefined) continue;
    newestMs = Math.max(newestMs ?? writtenMs, writtenMs);
  }
  return newestMs;
}

/** The owner that controls an object, if any. */
export function controllerOf(object: unknown): { readonly kind: string; readonly name: string } | undefined {
  const owners = listOf(fieldAt(object, ['metadata', 'ownerReferences'])).map(objectOf);
  const owner = owners.find(({ controller }) => controller === true);
  const kind = textOf(owner?.['kind']);
  const name = textOf(owner?.['name']);
  return kind === undefined || name === undefined ? undefined : { kind, name };
}
