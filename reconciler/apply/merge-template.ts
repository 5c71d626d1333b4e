import { fieldAt, listOf, objectOf, textOf, type JsonObject } from '../../shared/domain/kubernetes/json-value';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { getObject, type KubeObject } from '../../shared/kube/client/objects';
import type { TemplateMarker } from '../../shared/domain/marks/workload-marks';
import { patchTemplate } from './patch-workload';
import { readAgain } from './read-again';
import type { Apply } from './restart';
import { markTemplate } from './template';

/**
 * Like patchWorkload, for kinds whose API does not merge lists: the containers are sent complete, as they were just
 * read, including fields that Reroll does not know. A write in between is a conflict, because the PATCH names the
 * version that was read.
 */
export const mergeTemplate: Apply = async (context, restart) => {
  const { kind, namespace, name } = restart.workload.record;
  const { resource, templatePath } = workloadKind(kind);
  const object = await getObject(context.client, resource, namespace, name);
  const workload = readAgain(context, restart.workload, object);
  const template = templateMerge(objectOf(fieldAt(object, templatePath)), restart.marker);
  const stored = await patchTemplate(context, workload, restart, { template });
  return { kind: 'written', did: didOfMerge(object), stored };
};

/** What a new template of this object did, to complete "the workload was …". */
export function didOfMerge(object: KubeObject): string {
  return rollsByItself(object) ? 'restarted' : 'changed, to be rolled out by hand: it has no ConfigChange trigger';
}

function templateMerge(template: JsonObject, marker: TemplateMarker): JsonObject {
  const { annotations, env } = marker;
  const { containers } = objectOf(markTemplate(template, marker)['spec']);
  return {
    ...(Object.keys(annotations).length > 0 && { metadata: { annotations } }),
    ...(env.length > 0 && { spec: { containers } }),
  };
}

/** A DeploymentConfig's triggers say when it rolls out: at each change without the field, never with an empty one. */
function rollsByItself(object: KubeObject): boolean {
  const triggers = fieldAt(object, ['spec', 'triggers']);
  if (triggers === undefined || triggers === null) return true;
  return listOf(triggers).some((trigger) => textOf(objectOf(trigger)['type']) === 'ConfigChange');
}
