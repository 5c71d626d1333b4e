import { annotationsOf, ownAnnotations, type AnnotationKeys } from '../../shared/domain/annotations/annotations';
import { carryOver, changesTemplate } from '../../shared/domain/marks/carry-over';
import { channelPaths } from '../../shared/domain/protocol/channel-names';
import { fieldAt, objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import { readMutationAnswer } from '../../shared/domain/protocol/mutation-question';
import { optedIn, type PolicySettings } from '../../shared/domain/policy/policy';
import { readWorkloadSpec } from '../../shared/domain/workloads/workload';
import { findWorkloadKind, type WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { noMarks, type WorkloadMarks } from '../../shared/domain/marks/workload-marks';
import { workloadQuestion } from '../../shared/domain/protocol/workload-question';
import { type AdmissionRequest, fieldManagerOf } from '../admission/admission-review';
import type { AdmissionPlugin } from '../admission/admission-plugins';
import type { ReconcilerClient } from '../channel/reconciler-client';
import { isServiceAccount } from '../admission/warned-users';
import { workloadPatch } from './workload-patch';

interface Settings {
  readonly keys: AnnotationKeys;
  readonly policy: PolicySettings;
}

export interface WorkloadPluginOptions extends Settings {
  readonly reconcilers: Pick<ReconcilerClient, 'query'>;
}

/** Without an answer, the reconciler makes the same changes itself a moment later. */
const askMs = 250;

/** Tools that change only the fields that a person has named. */
const deliberateTools = /^kubectl-(?:annotate|edit|patch|set|rollout)$/;

/**
 * Keeps Reroll's annotations and marker if a write would remove them from a workload that stays opted in. Adds what the
 * reconciler would write next: the baseline of a new workload, and an owed restart if the write replaces the pods. A
 * write that opts out is left alone.
 */
export function workloadPlugin({ reconcilers, ...settings }: WorkloadPluginOptions): AdmissionPlugin {
  return {
    name: 'workload',
    wants: (request, path) => path === 'mutate' && isWrite(request) && kindOf(request) !== undefined,
    answer: async (request) => {
      const kind = kindOf(request);
      if (!kind || !isOptedIn(kind, request.object, settings)) return {};
      const { object, oldObject, operation } = request;
      const update = { kind, object, oldObject, isDeliberate: isByHand(request) };
      const kept = operation === 'UPDATE' ? carryOver(update) : noMarks;
      const startsPods = operation === 'CREATE' || (!marksTemplate(kept) && changesTemplate(update));
      const isNew = !isOptedIn(kind, oldObject, settings) && !hasBaseline(object, kept);
      const added = startsPods || isNew ? await ask(kind, request, kept) : noMarks;
      const annotations = { ...kept.annotations, ...added.annotations };
      const template = marksTemplate(kept) ? kept.template : added.template;
      return { patch: workloadPatch(kind, object, { annotations, template }) };
    },
  };

  async function ask(kind: WorkloadKind, request: AdmissionRequest, kept: WorkloadMarks): Promise<WorkloadMarks> {
    const { namespace, operation, object, oldObject } = request;
    if (namespace === undefined) return noMarks;
    // A new object has no baseline, even if its manifest was copied from one that had.
    const past = operation === 'CREATE' ? { [ownAnnotations.baseline]: undefined } : kept.annotations;
    const asked = withAnnotations(operation === 'UPDATE' ? withUid(object, oldObject) : object, past);
    const question = workloadQuestion({ group: kind.resource.group, kind: kind.kind }, namespace, asked);
    const answer = await reconcilers.query(channelPaths.marks, question, askMs);
    return readMutationAnswer(answer) ?? noMarks;
  }
}

/**
 * A baseline from before the workload opted out may owe a restart. If this write replaces no pods, the reconciler
 * restarts them.
 */
function hasBaseline(object: unknown, { annotations }: WorkloadMarks): boolean {
  return ownAnnotations.baseline in { ...annotationsOf(object), ...annotations };
}

function marksTemplate({ template }: WorkloadMarks): boolean {
  return template.env.length + Object.keys(template.annotations).length > 0;
}

function withAnnotations(object: unknown, annotations: Readonly<Record<string, string | undefined>>): object {
  const metadata = objectOf(fieldAt(object, ['metadata']));
  return { ...objectOf(object), metadata: { ...metadata, annotations: { ...annotationsOf(object), ...annotations } } };
}

/** A PUT may omit the uid, as that of `kubectl replace` does. The server adds it only after the mutating hooks. */
function withUid(object: unknown, oldObject: unknown): object {
  const { uid, ...metadata } = objectOf(fieldAt(object, ['metadata']));
  return {
    ...objectOf(object),
    metadata: { ...metadata, uid: textOf(uid) ?? textOf(fieldAt(oldObject, ['metadata', 'uid'])) },
  };
}

function isWrite({ operation, subResource = '' }: AdmissionRequest): boolean {
  return (operation === 'CREATE' || operation === 'UPDATE') && subResource === '';
}

function kindOf({ kind }: AdmissionRequest): WorkloadKind | undefined {
  return findWorkloadKind(kind.group, kind.kind);
}

function isOptedIn(kind: WorkloadKind, object: unknown, { keys, policy }: Settings): boolean {
  return optedIn(readWorkloadSpec(kind, object, keys, policy).policy, policy);
}

/**
 * Whether a person wrote this by hand. A review does not show whether a write is a PATCH or a PUT: both have the
 * options of an update. `kubectl rollout undo` sends no field manager; neither do many controllers, and then the newest
 * entry of managedFields may be from an older kubectl write.
 */
function isByHand(request: AdmissionRequest): boolean {
  const stated = request.options?.fieldManager;
  if (stated !== undefined) return deliberateTools.test(stated);
  return fieldManagerOf(request) === 'kubectl' && !isServiceAccount(request);
}
