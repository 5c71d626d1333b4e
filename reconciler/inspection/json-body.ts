import { printable } from '../../shared/domain/text/printable';

/**
 * The body of an answer: one line of JSON. Names of replicas, users and keys may come from anybody, and terminals show
 * the answer, so what could control one is escaped as JSON does it.
 */
export function jsonBody(value: object): Buffer {
  return Buffer.from(`${printable(JSON.stringify(value))}\n`);
}
