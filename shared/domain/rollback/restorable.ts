import { fieldAt, listOf, objectOf, textOf } from '../kubernetes/json-value';

/** Its controller makes content and object of its own accord, and a copy would be a credential. */
const tokenTypes = ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'];

/** cert-manager owns what it issues by this annotation; an owner reference is optional. */
const issuedFor = 'cert-manager.io/certificate-name';

/** Why Reroll puts no earlier content of a source back, as the end of "Secret db …"; undefined: it may. */
export function whyNotRestorable(source: unknown): string | undefined {
  const type = textOf(fieldAt(source, ['type'])) ?? '';
  if (tokenTypes.includes(type)) return `is of type ${type}`;
  if (fieldAt(source, ['metadata', 'deletionTimestamp']) !== undefined) return 'is being deleted';
  if (fieldAt(source, ['immutable']) === true) return 'is immutable';
  const owner = listOf(fieldAt(source, ['metadata', 'ownerReferences']))
    .map(objectOf)
    .find(({ controller }) => controller === true);
  if (owner) {
    const title = `${textOf(owner['kind']) ?? 'an object'} ${textOf(owner['name']) ?? ''}`.trim();
    return `is written by the controller of ${title}: change it there`;
  }
  const certificate = textOf(fieldAt(source, ['metadata', 'annotations', issuedFor]));
  return certificate === undefined ? undefined : `is written by cert-manager for Certificate ${certificate}`;
}
