import { RerollError } from '../errors';

/** A schema that cannot be used, or not within the budget: nothing is known about the content then. */
export class SchemaError extends RerollError {
  /** Position in the schema's text; undefined for the whole schema. */
  readonly offset: number | undefined;
  /** One of a fixed set of texts. */
  readonly reason: string;

  constructor(reason: string, offset?: number, code: 'SCHEMA_UNREADABLE' | 'SCHEMA_TOO_COMPLEX' = 'SCHEMA_UNREADABLE') {
    super(reason, { code });
    this.reason = reason;
    this.offset = offset;
  }
}
