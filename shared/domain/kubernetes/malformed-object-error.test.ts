import { expect, it } from '@jest/globals';
import { MalformedObjectError } from './malformed-object-error';

it('the message fits into a log line, however long the name of the object', () => {
  const { message } = new MalformedObjectError(`Secret shop/${'é'.repeat(200_000)} has data that is no map`);
  expect(message).toMatch(/^Secret shop\/é+…$/);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1_024);
});
