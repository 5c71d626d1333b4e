import { sourceKinds, type SourceKind } from '../sources/source';
import { workloadKinds, type WorkloadKindName } from '../kubernetes/workload-kinds';

/** The most restarts of one page, the most users and sources that one answer names, and rows of a page for a person. */
export const maxInspectionRows = 500;

/** The most rows of one page of workloads. A forwarded port is a connection for each page, which costs more than rows. */
export const maxWorkloadRows = 2_000;

/** What can be asked on the loopback interface of a reconciler. */
export type InspectionQuestion =
  | { readonly about: 'health' }
  | { readonly about: 'workload'; readonly kind: WorkloadKindName; readonly namespace: string; readonly name: string }
  | { readonly about: 'source'; readonly kind: SourceKind; readonly namespace: string; readonly name: string }
  | {
      readonly about: 'workloads';
      /** Undefined: of all namespaces. */
      readonly namespace: string | undefined;
      readonly limit: number;
      /** The key of the last workload of the page before. */
      readonly after: string | undefined;
    }
  | {
      readonly about: 'history';
      /** Undefined: of all namespaces. */
      readonly namespace: string | undefined;
      readonly kind: WorkloadKindName | undefined;
      readonly name: string | undefined;
      /** In the form in which the history has times. */
      readonly since: string | undefined;
      readonly limit: number;
      /** Time and id of the last restart of the page before: `2026-01-01T12:00:00.000Z/3f9c2a71`. */
      readonly after: string | undefined;
    };

/** Why a path and its query are not a question. */
export interface InspectionRefusal {
  readonly code: 'no-such-path' | 'bad-request';
  readonly message: string;
}

const served =
  '/v1/health, /v1/workloads, /v1/history, /v1/workloads/{kind}/{namespace}/{name} and /v1/sources/{kind}/{namespace}/{name}';
const namePattern = /^[a-z0-9A-Z]([-a-z0-9A-Z._:]{0,251}[a-z0-9A-Z])?$/;
const pageParameters = ['namespace', 'limit', 'continue'];
const historyParameters = [...pageParameters, 'kind', 'name', 'since'];

/** Reads the path and the query of a request, such as `/v1/workloads?namespace=shop&limit=100`. */
export function parseInspectionQuestion(url: string): InspectionQuestion | InspectionRefusal {
  const [path = '', query = ''] = url.split('?', 2);
  const [, version, subject, ...rest] = path.split('/');
  if (version !== 'v1') return noSuchPath;
  if (rest.length === 0) {
    if (subject === 'health') return { about: 'health' };
    if (subject === 'workloads') return pageQuestion(new URLSearchParams(query));
    return subject === 'history' ? historyQuestion(new URLSearchParams(query)) : noSuchPath;
  }
  const [kind, namespace, name, ...more] = rest;
  if (kind === undefined || namespace === undefined || name === undefined || more.length > 0) return noSuchPath;
  switch (subject) {
    case 'workloads':
      return objectQuestion(
        'workload',
        workloadKinds.map((row) => row.kind),
        { kind, namespace, name },
      );
    case 'sources':
      return objectQuestion('source', sourceKinds, { kind, namespace, name });
    default:
      return noSuchPath;
  }
}

/** The last row of a page, as clients send it back. */
export function continueToken(key: string): string {
  return Buffer.from(key).toString('base64url');
}

const noSuchPath: InspectionRefusal = { code: 'no-such-path', message: `only ${served} are served` };

function badRequest(message: string): InspectionRefusal {
  return { code: 'bad-request', message };
}

interface NamedObject<Kind extends string> {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** Kinds are found in any case, because people type them. */
function objectQuestion<About extends string, Kind extends string>(
  about: About,
  kinds: readonly Kind[],
  asked: NamedObject<string>,
): (NamedObject<Kind> & { readonly about: About }) | InspectionRefusal {
  const kind = kinds.find((each) => each.toLowerCase() === asked.kind.toLowerCase());
  if (kind === undefined) return badRequest(`there is no such kind of ${about}: use ${kinds.join(', ')}`);
  const { namespace, name } = asked;
  if (!namePattern.test(namespace) || !namePattern.test(name)) {
    return badRequest('namespace and name must be names of objects: letters, digits, dashes and dots');
  }
  return { about, kind, namespace, name };
}

function pageQuestion(query: URLSearchParams): InspectionQuestion | InspectionRefusal {
  const page = pageOf(query, pageParameters, keyPattern, maxWorkloadRows);
  return 'code' in page ? page : { about: 'workloads', ...page };
}

function historyQuestion(query: URLSearchParams): InspectionQuestion | InspectionRefusal {
  const page = pageOf(query, historyParameters, placePattern, maxInspectionRows);
  if ('code' in page) return page;
  const [asked, name, time] = ['kind', 'name', 'since'].map((parameter) => query.get(parameter) || undefined);
  const row = workloadKinds.find(({ kind }) => kind.toLowerCase() === asked?.toLowerCase());
  if (asked !== undefined && !row) {
    return badRequest(`there is no such kind of workload: use ${workloadKinds.map(({ kind }) => kind).join(', ')}`);
  }
  if (name !== undefined && !namePattern.test(name)) return badRequest('name must be the name of a workload');
  const sinceMs = Date.parse(time ?? '');
  if (time !== undefined && (!timePattern.test(time) || Number.isNaN(sinceMs))) {
    return badRequest('since must be a time as in RFC 3339, such as 2026-01-01T12:00:00Z');
  }
  const since = time === undefined ? undefined : new Date(sinceMs).toISOString();
  return { about: 'history', ...page, kind: row?.kind, name, since };
}

type Page = Pick<Extract<InspectionQuestion, { readonly about: 'workloads' }>, 'namespace' | 'limit' | 'after'>;

/** `place` is what a token names: the last row of the page before. */
function pageOf(
  query: URLSearchParams,
  parameters: readonly string[],
  place: RegExp,
  most: number,
): Page | InspectionRefusal {
  if ([...query.keys()].some((key) => !parameters.includes(key))) {
    return badRequest(`a page has the parameters ${parameters.join(', ')}, and no other`);
  }
  const namespace = query.get('namespace') || undefined;
  if (namespace !== undefined && !namePattern.test(namespace)) {
    return badRequest('namespace must be the name of a namespace: letters, digits and dashes');
  }
  const limit = query.get('limit') || String(maxInspectionRows);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > most) {
    return badRequest(`limit must be a whole number from 1 to ${most}`);
  }
  const token = query.get('continue') || undefined;
  const after = token === undefined ? undefined : Buffer.from(token, 'base64url').toString();
  if (after !== undefined && (!place.test(after) || continueToken(after) !== token)) {
    return badRequest('continue must be the token of an earlier page: leave it out to begin again');
  }
  return { namespace, limit: Number(limit), after };
}

/** `Deployment/shop/web`, as in TrackedWorkload. */
const keyPattern = /^[A-Za-z]{1,63}\/[-a-z0-9A-Z._:]{1,253}\/[-a-z0-9A-Z._:]{1,253}$/;

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** A time of the history and the id of a restart. */
const placePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\/[0-9a-f]{8}$/;
