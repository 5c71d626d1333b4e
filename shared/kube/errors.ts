import { RerollError } from '../domain/errors';
import { describeTarget, rbacRule, type RequestTarget } from './request-target';

export interface KubeErrorOptions {
  readonly code: string;
  readonly status?: number | undefined;
  readonly reason?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Any failure of a request to an API server. */
export class KubeError extends RerollError {
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** `reason` of the Status object in the answer, for example `Conflict`. */
  readonly reason: string | undefined;
  /** The server's Retry-After. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: KubeErrorOptions) {
    super(message, options);
    this.status = options.status;
    this.reason = options.reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** No answer, or the stream broke off. A write may still have been carried out. */
export class ConnectionError extends KubeError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'KUBE_CONNECTION', cause });
  }
}

/** No answer in time. A write may still have been carried out. */
export class TimeoutError extends KubeError {
  constructor(message: string) {
    super(message, { code: 'KUBE_TIMEOUT' });
  }
}

/** An answer that breaks the API contract: it does not parse, is too long, or has an unknown type. */
export class ProtocolError extends KubeError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'KUBE_PROTOCOL', cause });
  }
}

/** Details of an error answer, besides its message. */
interface Refusal {
  readonly status: number;
  readonly reason: string | undefined;
  readonly retryAfterMs: number | undefined;
}

export class UnauthorizedError extends KubeError {
  constructor(message: string, refusal: Refusal) {
    super(message, { code: 'KUBE_UNAUTHORIZED', ...refusal });
  }
}

/** Permissions may be granted later, so a slow retry makes sense. */
export class ForbiddenError extends KubeError {
  /** Whether RBAC refused the request: a permission is missing. Otherwise quota, admission or the like refused it. */
  readonly byRbac: boolean;
  /** The refused request. */
  readonly target: RequestTarget;
  /** Whether the namespace is being deleted: nothing can be created in it then. */
  readonly namespaceTerminates: boolean;

  constructor(message: string, refusal: Refusal, target: RequestTarget, body: KubeStatus | undefined) {
    super(message, { code: 'KUBE_FORBIDDEN', ...refusal });
    this.byRbac = isRbacDenial(body);
    this.target = target;
    this.namespaceTerminates = body?.causes.includes('NamespaceTerminating') === true;
  }
}

export class NotFoundError extends KubeError {
  /** Whether the answer names the missing object. Otherwise the path does not exist, or a proxy has answered. */
  readonly isOfObject: boolean;
  /** Whether the answer names a missing namespace: that of the object, or the object itself. */
  readonly isOfNamespace: boolean;

  constructor(message: string, refusal: Refusal, target: RequestTarget, body: KubeStatus | undefined) {
    super(message, { code: 'KUBE_NOT_FOUND', ...refusal });
    this.isOfObject = target.name !== undefined && body?.name === target.name;
    this.isOfNamespace = body?.resource === 'namespaces';
  }
}

/** The object changed since it was read: read it again and decide again. */
export class ConflictError extends KubeError {
  constructor(message: string, refusal: Refusal) {
    super(message, { code: 'KUBE_CONFLICT', ...refusal });
  }
}

export class AlreadyExistsError extends KubeError {
  constructor(message: string, refusal: Refusal) {
    super(message, { code: 'KUBE_ALREADY_EXISTS', ...refusal });
  }
}

/** The server no longer has the resourceVersion or the continue token: list again. */
export class GoneError extends KubeError {
  constructor(message: string, refusal: Refusal) {
    super(message, { code: 'KUBE_GONE', ...refusal });
  }
}

export class InvalidError extends KubeError {
  constructor(message: string, refusal: Refusal) {
    super(message, { code: 'KUBE_INVALID', ...refusal });
  }
}

export class ThrottledError extends KubeError {
  constructor(message: string, refusal: Refusal) {
    super(message, { code: 'KUBE_THROTTLED', ...refusal });
  }
}

/** A webhook that denies a write has its own words after its name, and cannot begin like this. */
const webhookUnanswered = /^(?:Internal error occurred: )?failed calling webhook /;

export class ServerError extends KubeError {
  /**
   * Whether the server has not reached the requested version: it issued that version before its etcd was restored.
   * Older servers pass on etcd's message, without a cause.
   */
  readonly isOfVersionToCome: boolean;
  /** Whether an admission webhook gave no answer. It is asked before anything is stored. */
  readonly isOfWebhook: boolean;

  constructor(message: string, refusal: Refusal, body?: KubeStatus) {
    super(message, { code: 'KUBE_SERVER', ...refusal });
    this.isOfVersionToCome =
      body?.causes.includes('ResourceVersionTooLarge') === true ||
      body?.message?.includes('required revision is a future') === true;
    this.isOfWebhook = webhookUnanswered.test(body?.message ?? '');
  }
}

/** The API server's message for a write into a missing namespace. It quotes nothing else. */
const namespaceMissing = /^namespaces "[^"]*" not found$/;

/** Resources for which the server's message about a refused write may quote values. */
const sensitiveResources: ReadonlySet<string> = new Set(['secrets', 'configmaps']);

/**
 * The error for an answer of 300 and above, or for an ERROR event of a watch.
 *
 * The server's message is passed on, except for refused writes of Secrets and ConfigMaps: validation quotes invalid
 * values, and messages appear in logs and Events.
 */
export function errorFromStatus(
  status: number,
  body: KubeStatus | undefined,
  target: RequestTarget,
  retryAfterMs: number | undefined = body?.retryAfterMs,
): KubeError {
  const reason = body?.reason;
  const mayQuoteValues = sensitiveResources.has(target.resource) && target.write;
  const mayBeSaid = !mayQuoteValues || namespaceMissing.test(body?.message ?? '');
  const said = mayBeSaid ? (body?.message ?? reason) : reason;
  const message = `${describeTarget(target)}: ${status}${said === undefined ? '' : ` ${said}`}`;
  const refusal: Refusal = { status, reason, retryAfterMs };
  switch (status) {
    case 401:
      return new UnauthorizedError(`${message}; the API server does not accept our credentials`, refusal);
    case 403:
      return new ForbiddenError(
        isRbacDenial(body) ? `${message}; ${rbacRule(target)}` : message,
        refusal,
        target,
        body,
      );
    case 404:
      return new NotFoundError(message, refusal, target, body);
    case 409:
      return reason === 'AlreadyExists'
        ? new AlreadyExistsError(message, refusal)
        : new ConflictError(message, refusal);
    case 410:
      return new GoneError(message, refusal);
    case 400:
    case 413:
    case 415:
    case 422:
      return new InvalidError(message, refusal);
    case 429:
      return new ThrottledError(message, refusal);
    default:
      return status >= 500
        ? new ServerError(message, refusal, body)
        : new KubeError(message, { code: 'KUBE_UNEXPECTED_STATUS', ...refusal });
  }
}

/** Quota, admission and a terminating namespace also answer 403, but no RBAC rule would help there. */
function isRbacDenial(body: KubeStatus | undefined): boolean {
  const message = body?.message ?? '';
  return / cannot \w+ resource /.test(message) || !/ is forbidden: |denied the request/.test(message);
}

/** Whether the namespace is missing or terminating: nothing can be created in it then. */
export function isNamespaceGone(error: unknown): boolean {
  if (error instanceof NotFoundError) return error.isOfNamespace;
  return error instanceof ForbiddenError && error.namespaceTerminates;
}

/**
 * Turns a 404 into undefined, for the `catch` of a request for an object that may be missing. Rethrows other errors.
 */
export function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
}

/** Like {@link undefinedIfNotFound}, but only for a 404 that names the object: a proxy's 404 does not. */
export function undefinedIfAbsent(error: unknown): undefined {
  if (error instanceof NotFoundError && error.isOfObject) return undefined;
  throw error;
}

/** The relevant parts of a `metav1.Status`, which describes a failure. */
export interface KubeStatus {
  readonly code: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** The object that the failure is about. */
  readonly name: string | undefined;
  /** Its resource, such as `namespaces`. */
  readonly resource: string | undefined;
  /** Machine-readable causes, such as `NamespaceTerminating`. */
  readonly causes: readonly string[];
  readonly retryAfterMs: number | undefined;
}
