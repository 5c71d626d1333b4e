import type { Verb } from './routes';

/** One request as an audit log would tell it. */
export interface RequestRecord {
  readonly user: string;
  readonly verb: Verb | 'other';
  /** Plural, with its group: `deployments.apps`; the path for what is no resource. */
  readonly resource: string;
  /** As it was asked, with its query. */
  readonly path: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string | undefined;
  /** HTTP status that was answered. */
  readonly code: number;
  readonly userAgent: string | undefined;
  /** Tells sockets apart; undefined in process, where there are none. */
  readonly connectionId: number | undefined;
  readonly atMs: number;
}
