import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../runtime/fake-clock';
import { RecordingLogger } from '../../runtime/log/recording-logger';
import type { TlsMaterial } from './cluster-access';
import { TlsRefresh } from './tls-refresh';

const material = (ca: string, cert?: string): TlsMaterial => ({
  ca: Buffer.from(ca),
  ...(cert !== undefined && { cert: Buffer.from(cert), key: Buffer.from(`key of ${cert}`) }),
});

describe('TlsRefresh', () => {
  let clock: FakeClock;
  let logger: RecordingLogger;
  let files: TlsMaterial | Error;
  let applied: TlsMaterial[];
  let refresh: TlsRefresh;

  beforeEach(() => {
    clock = new FakeClock();
    logger = new RecordingLogger();
    files = material('old');
    applied = [];
    refresh = new TlsRefresh({
      clock,
      logger,
      current: material('old'),
      load: async () => {
        if (files instanceof Error) throw files;
        return files;
      },
      apply: (tls) => {
        if (tls.cert?.toString() === 'unusable') throw new Error('no certificate');
        applied.push(tls);
      },
    });
    refresh.start();
  });

  it('applies nothing while the files do not change', async () => {
    await clock.advance(600_000);
    expect(applied).toEqual([]);
  });

  it.each([
    ['CA', material('new')],
    ['client certificate', material('old', 'mine')],
  ])('applies a new %s within a minute, once', async (_what, changed) => {
    files = changed;
    await clock.advance(59_999);
    expect(applied).toEqual([]);
    await clock.advance(1);
    expect(applied).toEqual([changed]);
    await clock.advance(600_000);
    expect(applied).toHaveLength(1);
  });

  it('keeps the old material while the files are unreadable, logs it, and retries', async () => {
    files = new Error('no such file');
    await clock.advance(60_000);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { error: 'no such file' } }]);
    files = material('new');
    await clock.advance(60_000);
    expect(applied).toHaveLength(1);
  });

  it('keeps the old material while the new one is unusable, logs it each time, and retries', async () => {
    files = material('old', 'unusable');
    await clock.advance(120_000);
    const refused = { level: 'warn', fields: { error: 'no certificate' } };
    expect(logger.lines).toMatchObject([refused, refused]);
    files = material('old', 'mine');
    await clock.advance(60_000);
    expect(applied).toEqual([files]);
  });

  it('stops, also while it reads', async () => {
    files = material('new');
    const reading = clock.advance(60_000);
    refresh.stop();
    await reading;
    await clock.advance(600_000);
    expect(applied).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});
