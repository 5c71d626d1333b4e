import { hash } from 'node:crypto';
import { digestLength } from './content-digest';

/** Of what is no content: anybody can make it. As long as that of a content, in base64url. */
export function textDigest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, digestLength);
}
