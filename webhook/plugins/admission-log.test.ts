import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger, type LogLine } from '../../shared/runtime/log/recording-logger';
import { changeRecord } from '../channel/channel.fixture';
import { AdmissionLog, maxLines, maxNamespaceLines } from './admission-log';

const minuteMs = 60_000;

let clock: FakeClock;
let logger: RecordingLogger;
let log: AdmissionLog;

beforeEach(() => {
  clock = new FakeClock();
  logger = new RecordingLogger();
  log = new AdmissionLog({ clock, logger });
});

function change(namespace: string, times = 1): void {
  for (let count = 0; count < times; count++) log.admitted(changeRecord({ namespace, name: `app-${count}` }));
}

/** The lines since this was called last. */
function takeLines(): readonly LogLine[] {
  return logger.lines.splice(0);
}

function summary(leftOut: number, namespaces: readonly string[]): LogLine {
  const message =
    `${leftOut} more changes were admitted within a minute and have no line of their own: ` +
    'too many of one namespace, or at once';
  return { level: 'info', message, fields: { leftOut, namespaces } };
}

describe('a change', () => {
  it('has a line with its id, its first keys and who made it', () => {
    const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`);
    const changed = { added: keys.slice(0, 10), changed: keys.slice(10, 15), removed: keys.slice(15) };
    const change = '9f3e11aa';
    log.admitted(changeRecord({ namespace: 'shop', name: 'app', change, changed, user: 'alice', manager: 'helm' }));
    expect(takeLines()).toEqual([
      {
        level: 'info',
        message: 'Secret shop/app admitted',
        fields: { source: 'Secret shop/app', change, keys: keys.slice(0, 20), user: 'alice', manager: 'helm' },
      },
    ]);
  });

  it('has a line each time in ordinary use, and nothing is said of those that were left out', async () => {
    for (let minute = 0; minute < 3; minute++) {
      for (let namespace = 0; namespace < 10; namespace++) change(`shop-${namespace}`, maxNamespaceLines);
      await clock.advance(minuteMs);
      expect(takeLines()).toHaveLength(10 * maxNamespaceLines);
    }
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a flood', () => {
  it('of one namespace costs it its lines, and no other namespace', async () => {
    change('flood', 50_000);
    change('shop', 2);
    const lines = takeLines();
    expect(lines).toHaveLength(maxNamespaceLines + 2);
    expect(lines.slice(-2).map(({ fields }) => fields['source'])).toEqual(['Secret shop/app-0', 'Secret shop/app-1']);
    await clock.advance(minuteMs);
    expect(takeLines()).toEqual([summary(50_000 - maxNamespaceLines, [`flood: ${50_000 - maxNamespaceLines}`])]);
    change('flood');
    expect(takeLines()).toHaveLength(1);
  });

  it('of many namespaces is bounded in total, and the worst are named', async () => {
    for (let namespace = 0; namespace < 5_000; namespace++) {
      change(`flood-${namespace}`, namespace < 12 ? maxNamespaceLines + 1 + namespace : 10);
    }
    expect(takeLines()).toHaveLength(maxLines);
    const all = 12 * (maxNamespaceLines + 1) + 66 + 4_988 * 10;
    await clock.advance(minuteMs);
    const worst = Array.from({ length: 10 }, (_, index) => `flood-${11 - index}: ${12 - index}`);
    expect(takeLines()).toEqual([summary(all - maxLines, worst)]);
  });

  it('that the end of the process interrupts is told of', () => {
    change('flood', maxNamespaceLines + 1);
    takeLines();
    log.endMinute();
    expect(takeLines()).toEqual([summary(1, ['flood: 1'])]);
    expect(clock.pendingTimers).toBe(0);
  });
});
