import type { JsonObject } from './json';
import { resourceName, type Resource } from '../../shared/kube/resource';
import type { ResourceKind } from './resources';

export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A failed API call. It is answered as a metav1.Status with the messages of apimachinery's `api/errors`. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** Continue token of an expired list. With it, the client can continue with an inconsistent list. */
  readonly continueToken: string | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, continueToken?: string) {
    super(message);
    this.name = 'StatusError';
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continueToken = continueToken;
  }

  /** The metav1.Status object. */
  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: JSON.parse(JSON.stringify(this.details)) as JsonObject }),
      code: this.code,
    };
  }
}

/** The Status of a successful DELETE. */
export function successStatus(kind: ResourceKind, name: string, uid: string): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...groupAndPlural(kind), uid },
  };
}

function groupAndPlural({ group, plural }: Resource): { readonly group?: string; readonly kind: string } {
  return group === '' ? { kind: plural } : { group, kind: plural };
}

export function notFound(kind: ResourceKind, name: string): StatusError {
  const message = `${resourceName(kind)} ${quote(name)} not found`;
  return new StatusError(404, 'NotFound', message, { name, ...groupAndPlural(kind) });
}

/** The path names no served resource. */
export function noSuchResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(kind: ResourceKind, name: string): StatusError {
  const message = `${resourceName(kind)} ${quote(name)} already exists`;
  return new StatusError(409, 'AlreadyExists', message, { name, ...groupAndPlural(kind) });
}

const modifiedMeanwhile = 'the object has been modified; please apply your changes to the latest version and try again';

export function conflict(kind: ResourceKind, name: string, because: string = modifiedMeanwhile): StatusError {
  const message = `Operation cannot be fulfilled on ${resourceName(kind)} ${quote(name)}: ${because}`;
  return new StatusError(409, 'Conflict', message, { name, ...groupAndPlural(kind) });
}

/** A precondition of a DELETE does not hold. Here the server names the kind, not the resource. */
export function deleteConflict(
  kind: ResourceKind,
  name: string,
  field: 'UID' | 'ResourceVersion',
  wanted: string,
  actual: string,
): StatusError {
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const happened = field === 'UID' ? 'deleted and then recreated' : 'modified';
  const message =
    `Operation cannot be fulfilled on ${qualified} ${quote(name)}: the ${field} in the precondition (${wanted}) does not ` +
    `match the ${field} in record (${actual}). The object might have been ${happened}`;
  const group = kind.group === '' ? {} : { group: kind.group };
  return new StatusError(409, 'Conflict', message, { name, ...group, kind: kind.kind });
}

export function invalid(kind: ResourceKind, name: string, causes: readonly StatusCause[]): StatusError {
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const texts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const message = `${qualified} ${quote(name)} is invalid: ${texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`}`;
  const group = kind.group === '' ? {} : { group: kind.group };
  return new StatusError(422, 'Invalid', message, { name, ...group, kind: kind.kind, causes });
}

/** A query that contradicts itself, as ValidateListOptions reports it. */
export function invalidListOptions(field: string, because: string): StatusError {
  const cause = { reason: 'FieldValueForbidden', message: `Forbidden: ${because}`, field };
  return new StatusError(422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: ${field}: Forbidden: ${because}`, {
    group: 'meta.k8s.io',
    kind: 'ListOptions',
    causes: [cause],
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function forbidden(kind: Resource, name: string, because: string, causes?: readonly StatusCause[]): StatusError {
  const subject = name === '' ? resourceName(kind) : `${resourceName(kind)} ${quote(name)}`;
  return new StatusError(403, 'Forbidden', `${subject} is forbidden: ${because}`, {
    ...(name === '' ? {} : { name }),
    ...groupAndPlural(kind),
    ...(causes === undefined ? {} : { causes }),
  });
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

export function notAcceptable(offered: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${offered.join(', ')}`;
  return new StatusError(406, 'NotAcceptable', message);
}

export function unsupportedMediaType(offered: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${offered.join(', ')}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}

/** The requested history is gone. */
export function expired(message: string, continueToken?: string): StatusError {
  return new StatusError(410, 'Expired', message, undefined, continueToken);
}

/** A patch that is well-formed but cannot be applied, such as a JSON patch whose `test` fails. */
export function unprocessablePatch(): StatusError {
  return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

function quote(name: string): string {
  return `"${name}"`;
}
