import type { Post } from '../outbound/post-transport';

/** One kind of receiver of alerts. */
export interface AlertFormatter {
  /**
   * Text of a stranger, such as the name of a user, so that the receiver shows it and does nothing else: it formats nothing,
   * calls nobody and links nowhere. The text is printable already.
   */
  escape(foreign: string): string;
  /** How it wants a message, whose slots stand between asterisks. */
  post(text: string): Post;
}

/** A body of JSON, as most receivers want it. */
export function jsonPost(value: object): Post {
  return { contentType: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}
