import {
  annotation,
  annotationsOf,
  ownAnnotations,
  ownFieldManager,
  type Annotations,
} from '../../shared/domain/annotations/annotations';
import { parseBaseline } from '../../shared/domain/baseline/baseline';
import { fieldAt, objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import type { WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { noKnownSources } from '../../shared/domain/lint/known-sources';
import { readLintSubject, type LintSettings } from '../../shared/domain/lint/lint-subject';
import { lintWorkload, type LintFinding } from '../../shared/domain/lint/lint-workload';
import { candidates, type Candidate } from '../../shared/domain/plan/candidates';
import { typedKeysOf } from '../../shared/domain/policy/policy-annotations';
import { parseGoBool } from '../../shared/domain/text/go-bool';
import { absent } from '../../shared/domain/sources/content-digest';
import { sourceKinds, type SourceId, type SourceKind } from '../../shared/domain/sources/source';
import { newestWriteOf, type FieldsWrite } from '../../shared/domain/workloads/managed-fields';
import { readRestartCause, type RestartCause } from '../../shared/domain/workloads/restart-cause';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObject, listObjects, type RequestLimits } from '../../shared/kube/client/objects';
import { readInstall, type Install } from './install';
import { readJoined, type JoinedWorkload } from './joined-workloads';
import { look, valueOf, type Seen } from './seen';
import { lookAtKind } from './seen-kind';
import { readEvents, type SeenEvent } from './seen-events';
import { readPlace, type Place } from './place';
import { sourceResources } from '../cluster/source-resources';

/** What the object of a workload tells. */
export interface WorkloadFacts extends JoinedWorkload {
  /** The sources that it uses or names. */
  readonly used: readonly Candidate[];
  readonly cause: RestartCause | undefined;
  /** `key: "false"`, if a switch is off. */
  readonly switchedOff: string | undefined;
  /** Mistakes in its annotations. */
  readonly findings: readonly LintFinding[];
  /** Undefined: it has none. */
  readonly baseline: SeenBaseline | undefined;
  /** The newest write of its pod template by anybody but Reroll. */
  readonly templateWrite: FieldsWrite | undefined;
  /** Its pods have them; empty: it does not say. */
  readonly podLabels: Readonly<Record<string, string>>;
  /** Why its pods are not replaced by themselves; a phrase. */
  readonly heldBy: string | undefined;
}

/** What Reroll has recorded that the pods run with. */
export interface SeenBaseline {
  /** The sources of which it has a content. */
  readonly contents: ReadonlySet<SourceId>;
  /** When Reroll last wrote to the workload; undefined: somebody else wrote the baseline, such as the webhook. */
  readonly writtenAtMs: number | undefined;
}

/** What the cluster shows about a workload to the person who asks. */
export interface WorkloadEvidence {
  readonly object: Seen<WorkloadFacts>;
  readonly install: Install;
  readonly place: Place;
  readonly events: Seen<readonly SeenEvent[]>;
}

/** What is asked about. */
export interface Asked {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
}

export async function readEvidence(
  client: KubeClient,
  { kind, namespace, name }: Asked,
  rerollNamespace: string,
  limits: RequestLimits,
): Promise<WorkloadEvidence> {
  const [seen, install, events] = await Promise.all([
    lookAtKind(client, kind.resource, getObject(client, kind.resource, namespace, name, limits), limits),
    readInstall(client, rerollNamespace, limits),
    readEvents(client, { kind: kind.kind, namespace, name }, limits),
  ]);
  const place = await readPlace(client, namespace, { install, rerollNamespace }, limits);
  const object: Seen<WorkloadFacts> =
    seen.is === 'there'
      ? { is: 'there', value: await factsOf(client, { kind, object: seen.value, install }, limits) }
      : seen;
  return { object, install, place, events };
}

async function factsOf(
  client: KubeClient,
  { kind, object, install }: { readonly kind: WorkloadKind; readonly object: unknown; readonly install: Install },
  limits: RequestLimits,
): Promise<WorkloadFacts> {
  const { settings } = install;
  const joined = await readJoined(client, { kind, object }, install, limits);
  const { record } = joined;
  const write = { group: kind.resource.group, kind: kind.kind, namespace: record.namespace, object };
  const annotations = annotationsOf(object);
  return {
    ...joined,
    used: candidates({ workload: { record, baseline: undefined }, sources: await namesFor(client, record, limits) }),
    cause: readRestartCause(annotation(annotations, ownAnnotations.lastRestart)),
    switchedOff: switchedOff([annotations, annotationsOf(fieldAt(object, kind.templatePath))], settings),
    findings: lintWorkload(readLintSubject(write, settings), noKnownSources),
    baseline: baselineOf(object, annotation(annotations, ownAnnotations.baseline)),
    templateWrite: newestWriteOf(object, [kind.templatePath], ownFieldManager),
    podLabels: podLabelsOf(kind, object),
    heldBy: heldBy(record, object),
  };
}

function baselineOf(object: unknown, text: string | undefined): SeenBaseline | undefined {
  if (text === undefined) return undefined;
  const write = newestWriteOf(object, [['metadata', 'annotations', ownAnnotations.baseline]]);
  const writtenAtMs = write?.manager === ownFieldManager ? write.timeMs : undefined;
  return { contents: new Set(contentsIn(text)), writtenAtMs };
}

/** None if the baseline cannot be read: Reroll then records another. */
function contentsIn(text: string): readonly SourceId[] {
  try {
    return [...parseBaseline(text).sources].flatMap(([id, recorded]) => (recorded === absent ? [] : [id]));
  } catch {
    return [];
  }
}

/** The names of sources that patterns may match. They are listed only for a workload that has patterns. */
async function namesFor(client: KubeClient, { policy, namespace }: WorkloadRecord, limits: RequestLimits) {
  const names = new Map<SourceKind, readonly string[]>();
  for (const kind of sourceKinds) {
    if (!policy[kind].named.hasPatterns) continue;
    const seen = await look(listObjects(client, sourceResources[kind], namespace, { ...limits, metadataOnly: true }));
    names.set(
      kind,
      (valueOf(seen) ?? []).map(({ metadata }) => metadata.name),
    );
  }
  return { namesIn: (kind: SourceKind) => names.get(kind) ?? [] };
}

function switchedOff(places: readonly Annotations[], { keys }: LintSettings): string | undefined {
  const switches = [keys.auto, ...Object.values(typedKeysOf(keys)).map(({ auto }) => auto)];
  for (const annotations of places) {
    const key = switches.find((each) => parseGoBool(annotation(annotations, each) ?? '') === false);
    if (key !== undefined) return `${key}: ${JSON.stringify(annotation(annotations, key))}`;
  }
  return undefined;
}

/** Without its `matchExpressions`, so other pods may have these labels too. The selector of a DeploymentConfig is labels alone. */
function podLabelsOf({ kind }: WorkloadKind, object: unknown): Readonly<Record<string, string>> {
  const selector = fieldAt(object, ['spec', 'selector']);
  const labels = objectOf(kind === 'DeploymentConfig' ? selector : fieldAt(selector, ['matchLabels']));
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : [])),
  );
}

function heldBy({ kind, pause }: WorkloadRecord, object: unknown): string | undefined {
  const isPaused = fieldAt(object, ['spec', 'paused']) === true;
  if (isPaused && pause?.since === undefined) return `the ${kind} is paused, so its pods are not replaced`;
  const strategy = textOf(fieldAt(object, ['spec', 'updateStrategy', 'type']));
  if (strategy === 'OnDelete') return 'its pods are replaced only when somebody deletes them (updateStrategy OnDelete)';
  return undefined;
}
