import { annotationsOf, ownAnnotations, type AnnotationKeys } from '../../shared/domain/annotations/annotations';
import { carryOver, changesTemplate } from '../../shared/domain/marks/carry-over';
import { channelPaths } from '../../shared/domain/protocol/channel-names';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { readMutationAnswer } from '../../shared/domain/protocol/mutation-question';
import { optedIn, type PolicySettings } from '../../shared/domain/policy/policy';
import { readWorkloadSpec } from '../../shared/domain/workloads/workload';
import { findWorkloadKind, type WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { noMarks, type WorkloadMarks } from '../../shared/domain/marks/workload-marks';
import { workloadQuestion } from '../../shared/domain/protocol/workload-question';
import type { AdmissionRequest } from '../admission/admission-review';
import type { AdmissionPlugin } from '../admission/admission-plugin';
import { fieldManagerOf } from '../admission/field-manager';
import type { ReconcilerClient } from '../channel/reconciler-client';
import { isServiceAccount } from '../admission/warned-users';
import { workloadPatch } from './workload-patch';

interface Settings {
  readonly keys: AnnotationKeys;
  readonly policy: PolicySettings;
}

export interface WorkloadDutyOptions extends Settings {
  readonly reconcilers: Pick<ReconcilerClient, 'query'>;
}

/** Without an answer the engine does by itself, a moment later, what it would have said. */
const askMs = 250;

/** What changes the fields that a person has named, and no others. */
const deliberateTools = /^kubectl-(?:annotate|edit|patch|set|rollout)$/;

/**
 * Keeps what a write would take away from a workload that is opted in after it, and puts in what the engine would write at
 * once: the baseline of a new workload, and a restart that is owed where the pods are replaced anyway. Who opts out is obeyed.
 */
export function workloadPlugin({ reconcilers, ...settings }: WorkloadDutyOptions): AdmissionPlugin {
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
      const isNew = operation === 'CREATE' || !isOptedIn(kind, oldObject, settings);
      const given = startsPods || isNew ? await ask(kind, request, kept) : noMarks;
      const annotations = { ...kept.annotations, ...given.annotations };
      const template = marksTemplate(kept) ? kept.template : given.template;
      return { patch: workloadPatch(kind, object, { annotations, template }) };
    },
  };

  async function ask(kind: WorkloadKind, request: AdmissionRequest, kept: WorkloadMarks): Promise<WorkloadMarks> {
    const { namespace, operation, object } = request;
    if (namespace === undefined) return noMarks;
    // What is created has no past, whatever its manifest was copied from.
    const past = operation === 'CREATE' ? { [ownAnnotations.baseline]: undefined } : kept.annotations;
    const asked = withAnnotations(object, past);
    const question = workloadQuestion({ group: kind.resource.group, kind: kind.kind }, namespace, asked);
    const answer = await reconcilers.query(channelPaths.marks, question, askMs);
    return readMutationAnswer(answer) ?? noMarks;
  }
}

function marksTemplate({ template }: WorkloadMarks): boolean {
  return template.env.length + Object.keys(template.annotations).length > 0;
}

function withAnnotations(object: unknown, annotations: Readonly<Record<string, string | undefined>>): object {
  const metadata = objectOf(fieldAt(object, ['metadata']));
  return { ...objectOf(object), metadata: { ...metadata, annotations: { ...annotationsOf(object), ...annotations } } };
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
 * A review does not tell a PATCH from a PUT: its options are those of an update either way. `kubectl rollout undo` does not
 * give its name; nor do many controllers, beside which the managedFields may name a kubectl of yesterday.
 */
function isByHand(request: AdmissionRequest): boolean {
  const stated = request.options?.fieldManager;
  if (stated !== undefined) return deliberateTools.test(stated);
  return fieldManagerOf(request) === 'kubectl' && !isServiceAccount(request);
}
