import { hash } from 'node:crypto';
import { digestLength } from './content-digest';

/** A plain digest for texts that are not content, so it needs no key. In base64url, as long as a content digest. */
export function textDigest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, digestLength);
}
