import type { Verb } from './routes';

/** One request, as an audit log would record it. */
export interface RequestRecord {
  readonly user: string;
  readonly verb: Verb | 'other';
  /** Plural with group, such as `deployments.apps`; the path for a non-resource request. */
  readonly resource: string;
  /** The path as requested, with its query. */
  readonly path: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string | undefined;
  /** HTTP status of the answer. */
  readonly code: number;
  readonly userAgent: string | undefined;
  /** Identifies the socket; undefined in process, where there are none. */
  readonly connectionId: number | undefined;
  readonly atMs: number;
}
