import type { Post } from '../outbound/post-transport';

/** A kind of receiver of alerts. */
export interface AlertFormatter {
  /**
   * Escapes untrusted text, such as a user name, so that the receiver only shows it: it formats nothing, mentions
   * nobody and links nowhere. The text is already printable.
   */
  escape(foreign: string): string;
  /** The request for a message whose slots are between asterisks. */
  post(text: string): Post;
}

/** A JSON body, which most receivers accept. */
export function jsonPost(value: object): Post {
  return { contentType: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}
