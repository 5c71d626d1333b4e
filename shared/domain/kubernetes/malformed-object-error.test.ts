import { expect, it } from '@jest/globals';
import { MalformedObjectError } from './malformed-object-error';

it('says no more than fits into a log line, whatever the name of the object is', () => {
  const { message } = new MalformedObjectError(`Secret shop/${'é'.repeat(200_000)} has data that is no map`);
  expect(message).toMatch(/^Secret shop\/é+…$/);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1_024);
});
