/** The body of an answer, as it is sent. */
export interface AnswerBody {
  readonly bytes: Buffer;
  /** The content encoding (RFC 9110, section 8.4); undefined: none. */
  readonly encoding?: 'gzip';
}

/**
 * Whether a client can read gzip, by its `accept-encoding`. One that gives it a weight is served without: that is always
 * right.
 */
export function acceptsGzip(acceptEncoding: string | readonly string[] | undefined): boolean {
  return String(acceptEncoding ?? '')
    .split(',')
    .some((coding) => coding.trim().toLowerCase() === 'gzip');
}
