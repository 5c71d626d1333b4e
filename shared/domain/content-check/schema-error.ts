import { RerollError } from '../errors';

/** A schema that cannot be used, or not within bounds: nothing is known of the content then. */
export class SchemaError extends RerollError {
  /** Where in the schema's text; undefined where it is all of it. */
  readonly offset: number | undefined;
  /** Of a fixed vocabulary. */
  readonly reason: string;

  constructor(reason: string, offset?: number, code: 'SCHEMA_UNREADABLE' | 'SCHEMA_TOO_COMPLEX' = 'SCHEMA_UNREADABLE') {
    super(reason, { code });
    this.reason = reason;
    this.offset = offset;
  }
}
