import { expect, it } from '@jest/globals';
import { CaFileSource } from './ca-file-source';
import { FakeClock } from '../fake-clock';
import { RecordingLogger } from '../log/recording-logger';
import { selfSigned } from './tls.fixture';

const old = selfSigned('old').cert;
const young = selfSigned('young').cert;

function mounted(text?: string) {
  const [clock, logger, file] = [new FakeClock(), new RecordingLogger(), { text }];
  const readFile = async (path: string): Promise<Buffer> => {
    await Promise.resolve();
    if (file.text === undefined) throw new Error(`ENOENT: ${path}`);
    return Buffer.from(file.text);
  };
  const source = new CaFileSource({ path: '/ca.crt', readFile, clock, logger });
  const changes: (string | undefined)[] = [];
  source.onChange(() => changes.push(source.current()));
  source.start();
  return { clock, logger, file, source, changes };
}

it('loads the file at the start, and reports changes within ten seconds', async () => {
  const { clock, file, source, changes } = mounted(old);
  await clock.settle();
  file.text = old + young;
  await clock.advance(9_999);
  expect(changes).toEqual([old]);
  await clock.advance(60_000);
  expect(changes).toEqual([old, old + young]);
  await source.stop();
  expect(clock.pendingTimers).toBe(0);
});

it.each([
  ['is gone', undefined, 'ENOENT: /ca.crt'],
  ['is empty', '', 'the bundle holds no certificate'],
  ['is cut off', old.slice(0, -100), 'the bundle is truncated'],
  ['is cut off within its last certificate', old + young.slice(0, -100), 'the bundle is truncated'],
  ['is cut off where its last certificate begins', `${old}-----BEGIN CERTIF`, 'the bundle is truncated'],
  ['is torn', `${old}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, 'the bundle is truncated'],
])('keeps the current bundle when the file %s, and logs it once', async (_what, text, problem) => {
  const { clock, file, logger, source, changes } = mounted(old);
  await clock.settle();
  file.text = text;
  await clock.advance(60_000);
  expect(source.current()).toBe(old);
  expect(logger.lines.slice(1)).toEqual([
    {
      level: 'warn',
      message: 'CAs for the certificates of callers not loaded, those in use stay',
      fields: { file: '/ca.crt', problem },
    },
  ]);
  file.text = young;
  await clock.advance(10_000);
  expect(changes).toEqual([old, young]);
  await source.stop();
});

it('has none until there is a usable one', async () => {
  const { clock, file, logger, source, changes } = mounted('');
  await clock.advance(30_000);
  expect(source.current()).toBeUndefined();
  expect(logger.lines.map(({ message }) => message)).toEqual([
    'CAs for the certificates of callers not loaded, no connection is accepted',
  ]);
  file.text = old;
  await clock.advance(10_000);
  expect(changes).toEqual([old]);
  await source.stop();
});
