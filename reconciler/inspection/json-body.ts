import { printable } from '../../shared/domain/text/printable';

/** The body of an answer: one line of JSON. */
export function jsonBody(value: object): Buffer {
  return Buffer.from(`${jsonText(value)}\n`);
}

/**
 * JSON that may be shown. Names of replicas, users and keys may come from anybody, and terminals show the answer, so what
 * could control one is escaped as JSON does it.
 */
export function jsonText(value: object): string {
  return printable(JSON.stringify(value));
}
