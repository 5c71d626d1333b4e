import { annotation, annotationsOf, gateAnnotations } from '../../shared/domain/annotations/annotations';
import { installHoldSetting } from '../../shared/domain/gates/install-hold';
import { objectOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeClient } from '../../shared/kube/client/client';
import {
  createObject,
  deleteObject,
  getMetadata,
  getObject,
  patchObject,
  type RequestLimits,
} from '../../shared/kube/client/objects';
import { AlreadyExistsError, ForbiddenError, NotFoundError } from '../../shared/kube/errors';
import { missingRight, NoAnswerError } from '../cluster/silence';
import { look, type Seen } from '../evidence/seen';
import type { HoldObject } from './hold-target';

/** It is not the reconciler that writes. */
export const fieldManager = 'kubectl-reroll';
const key = gateAnnotations.hold;

/** The annotation of an object. */
export interface HoldText {
  /** Undefined: it has none. */
  readonly text: string | undefined;
}

/** @throws what is neither 403 nor 404 */
export async function readHoldText(
  client: KubeClient,
  { resource, namespace, name }: HoldObject,
  limits: RequestLimits,
): Promise<Seen<HoldText>> {
  const seen = await look(getMetadata(client, resource, namespace, name, limits));
  return seen.is === 'there' ? { is: 'there', value: { text: annotation(annotationsOf(seen.value), key) } } : seen;
}

/** Sets an annotation, or with null removes it. @throws NoAnswerError if that is not allowed; NotFoundError, KubeError */
export async function annotate(
  client: KubeClient,
  { resource, namespace, name }: HoldObject,
  annotationKey: string,
  value: string | null,
  limits: RequestLimits,
): Promise<void> {
  const patch = { metadata: { annotations: { [annotationKey]: value } } };
  await allowed(patchObject(client, resource, namespace, name, patch, { ...limits, type: 'merge', fieldManager }));
}

/** Creates the ConfigMap that holds everything, unless somebody else has just done it. */
export async function createHold(
  client: KubeClient,
  object: HoldObject,
  text: string,
  limits: RequestLimits,
): Promise<void> {
  const { resource, namespace, name } = object;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, annotations: { [key]: text } } };
  try {
    await allowed(createObject(client, resource, namespace, body, { ...limits, fieldManager }));
  } catch (thrown) {
    if (!(thrown instanceof AlreadyExistsError)) throw thrown;
    await annotate(client, object, key, text, limits);
  }
}

/**
 * How everything was resumed. `none`: it was not held. `kept`: the ConfigMap is somebody's, so it is there and holds nothing;
 * `off`: so it did before.
 */
export type Release = 'none' | 'off' | 'deleted' | 'kept';

/** Deletes the ConfigMap that holds everything. One that somebody manages is left, and says that it holds nothing. */
export async function releaseEverything(
  client: KubeClient,
  object: HoldObject,
  limits: RequestLimits,
): Promise<Release> {
  const { resource, namespace, name } = object;
  const seen = await look(getObject(client, resource, namespace, name, limits));
  if (seen.is === 'hidden') throw new NoAnswerError(`${seen.right}, so nothing was changed`);
  if (seen.is === 'absent') return 'none';
  if (isManaged(seen.value)) {
    if (installHoldSetting(seen.value) === 'off') return 'off';
    await annotate(client, object, key, 'false', limits);
    return 'kept';
  }
  try {
    await allowed(deleteObject(client, resource, namespace, name, { ...limits, propagationPolicy: 'Background' }));
  } catch (thrown) {
    if (!(thrown instanceof NotFoundError)) throw thrown;
  }
  return 'deleted';
}

/** Anything but our annotation is somebody else's: labels of a GitOps tool, or what `kubectl apply` writes. */
function isManaged(object: unknown): boolean {
  const { metadata, data, binaryData } = objectOf(object);
  const { labels, annotations, ownerReferences } = objectOf(metadata);
  const others = Object.keys(objectOf(annotations)).filter((each) => each !== key);
  const fields = [data, binaryData, labels].flatMap((field) => Object.keys(objectOf(field)));
  return others.length > 0 || fields.length > 0 || (Array.isArray(ownerReferences) && ownerReferences.length > 0);
}

/** The answer to a write. @throws NoAnswerError if it is not allowed */
export async function allowed<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (thrown) {
    if (thrown instanceof ForbiddenError) throw new NoAnswerError(`${missingRight(thrown)}, so nothing was changed`);
    throw thrown;
  }
}
