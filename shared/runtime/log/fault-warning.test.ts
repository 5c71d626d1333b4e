import { expect, it } from '@jest/globals';
import { FaultWarning } from './fault-warning';
import { RecordingLogger } from './recording-logger';

it('warns of a fault once, of another one, and of the same after its end', () => {
  const logger = new RecordingLogger();
  const warning = new FaultWarning(logger);
  warning.warn('no key', 'not loaded', { problem: 'no key' });
  warning.warn('no key', 'still not loaded');
  warning.warn('no certificate', 'not loaded');
  warning.ended();
  warning.warn('no certificate', 'not renewed');
  expect(logger.lines.map(({ level, message, fields }) => [level, message, fields])).toEqual([
    ['warn', 'not loaded', { problem: 'no key' }],
    ['warn', 'not loaded', {}],
    ['warn', 'not renewed', {}],
  ]);
});
