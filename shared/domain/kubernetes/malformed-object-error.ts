import { cutToBytes } from '../text/cut-to-bytes';
import { RerollError } from '../errors';
import type { ObjectKey } from './object-key';

/** A review can be forged: a name in it may be as long as the body. */
const maxMessageBytes = 1_024;

/** The bytes are well-formed but have the wrong shape: this object is skipped, and all others are processed. */
export class MalformedObjectError extends RerollError {
  /** Set if the object can be named although it cannot be used. */
  readonly key: ObjectKey | undefined;
  readonly resourceVersion: string | undefined;

  constructor(
    message: string,
    options: {
      readonly key?: ObjectKey | undefined;
      readonly resourceVersion?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(cutToBytes(message, maxMessageBytes), { code: 'MALFORMED_OBJECT', cause: options.cause });
    this.key = options.key;
    this.resourceVersion = options.resourceVersion;
  }
}
