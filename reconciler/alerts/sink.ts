import type { Post } from '../outbound/post-transport';

/** How one kind of receiver wants a message, whose slots stand between asterisks. */
export type AlertSink = (text: string) => Post;

/** A body of JSON, as most receivers want it. */
export function jsonPost(value: object): Post {
  return { contentType: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}
