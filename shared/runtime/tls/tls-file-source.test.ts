import { describe, expect, it } from '@jest/globals';
import { selfSigned, withShortKey } from './tls.fixture';
import { FakeClock } from '../fake-clock';
import { RecordingLogger } from '../log/recording-logger';
import { TlsFileSource } from './tls-file-source';

const old = selfSigned('old');
const young = selfSigned('young');

interface Mount {
  readonly source: TlsFileSource;
  readonly clock: FakeClock;
  readonly logger: RecordingLogger;
  readonly files: Map<string, string>;
  readonly changes: (string | undefined)[];
}

function mounted(pair?: { readonly cert: string; readonly key: string }): Mount {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const files = new Map<string, string>();
  if (pair) fill(files, pair);
  const readFile = (path: string): Promise<Buffer> => {
    const text = files.get(path);
    return text === undefined ? Promise.reject(new Error(`ENOENT: ${path}`)) : Promise.resolve(Buffer.from(text));
  };
  const source = new TlsFileSource({ directory: '/tls', readFile, clock, logger });
  const changes: (string | undefined)[] = [];
  source.onChange(() => changes.push(source.current()?.cert));
  return { source, clock, logger, files, changes };
}

function fill(files: Map<string, string>, { cert, key }: { readonly cert: string; readonly key: string }): void {
  files.set('/tls/tls.crt', cert).set('/tls/tls.key', key).set('/tls/ca.crt', cert);
}

describe('TlsFileSource', () => {
  it('loads the files at the start, and reports changes within ten seconds', async () => {
    const { source, clock, files, changes } = mounted(old);
    expect(source.current()).toBeUndefined();
    source.start();
    await clock.settle();
    expect(source.current()).toEqual({ ...old, ca: old.cert });
    fill(files, young);
    await clock.advance(9_999);
    expect(source.current()?.cert).toBe(old.cert);
    await clock.advance(1);
    expect(source.current()).toEqual({ ...young, ca: young.cert });
    await clock.advance(60_000);
    expect(changes).toEqual([old.cert, young.cert]);
    await source.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports a new CA alone', async () => {
    const { source, clock, files, changes } = mounted(old);
    source.start();
    await clock.settle();
    files.set('/tls/ca.crt', young.cert + old.cert);
    await clock.advance(10_000);
    expect(source.current()?.ca).toBe(young.cert + old.cert);
    expect(changes).toHaveLength(2);
    await source.stop();
  });

  it.each([
    ['/tls/tls.key', young.key, 'the private key does not belong to the certificate'],
    ['/tls/tls.key', 'garbage', 'the private key is unreadable'],
    ['/tls/tls.crt', 'garbage', 'the certificate is unreadable'],
    [
      '/tls/tls.crt',
      `${old.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      'the chain after the certificate, or the CA bundle, is truncated',
    ],
    [
      '/tls/ca.crt',
      young.cert + old.cert.slice(0, -100),
      'the chain after the certificate, or the CA bundle, is truncated',
    ],
    ['/tls/ca.crt', '', 'the CA bundle holds no certificate'],
    ['/tls/ca.crt', undefined, 'ENOENT: /tls/ca.crt'],
  ])('keeps the current material when %s is %#, logs it once, and keeps looking', async (path, text, problem) => {
    const { source, clock, logger, files, changes } = mounted(old);
    source.start();
    await clock.settle();
    if (text === undefined) files.delete(path);
    else files.set(path, text);
    await clock.advance(60_000);
    expect(source.current()).toEqual({ ...old, ca: old.cert });
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'certificate not loaded, the one in use stays',
        fields: { directory: '/tls', problem },
      },
    ]);
    fill(files, young);
    await clock.advance(10_000);
    expect(changes).toEqual([old.cert, young.cert]);
    await source.stop();
  });

  it('does not call a certificate truncated that TLS does not accept for its content', async () => {
    const { source, clock, logger, files } = mounted();
    fill(files, withShortKey());
    source.start();
    await clock.settle();
    expect(source.current()).toBeUndefined();
    expect(logger.lines.map(({ fields }) => fields['problem'])).toEqual([
      'TLS does not accept the certificate or a CA (ERR_SSL_EE_KEY_TOO_SMALL)',
    ]);
    await source.stop();
  });

  it('names the same one of several missing files each time, for a single warning', async () => {
    const clock = new FakeClock();
    const logger = new RecordingLogger();
    let looks = 0;
    const readFile = async (path: string): Promise<Buffer> => {
      if (path.endsWith('tls.crt')) looks += 1;
      if (path.endsWith('.crt') === (looks % 2 === 0)) await Promise.resolve();
      throw new Error(`ENOENT: ${path}`);
    };
    const source = new TlsFileSource({ directory: '/tls', readFile, clock, logger });
    source.start();
    await clock.advance(60_000);
    expect(looks).toBeGreaterThan(5);
    expect(logger.lines.map(({ fields }) => fields['problem'])).toEqual(['ENOENT: /tls/tls.crt']);
    await source.stop();
  });

  it('waits for files that do not exist yet', async () => {
    const { source, clock, logger, files } = mounted();
    source.start();
    await clock.settle();
    expect(source.current()).toBeUndefined();
    expect(logger.lines[0]?.message).toBe('certificate not loaded, there is none yet');
    fill(files, old);
    await clock.advance(10_000);
    expect(source.current()?.cert).toBe(old.cert);
    expect(JSON.stringify(logger.lines)).not.toContain('PRIVATE');
    await source.stop();
  });
});
