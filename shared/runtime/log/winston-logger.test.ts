import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../fake-clock';
import { createLogger, type LogFormat, type LogLevel } from './winston-logger';

class Output extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }

  get lines(): unknown[] {
    return this.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  }
}

function logger(options: { format?: LogFormat; level?: LogLevel; stream?: Writable } = {}) {
  const clock = new FakeClock(Date.UTC(2026, 0, 2, 3, 4, 5, 6));
  const output = new Output();
  return {
    clock,
    output,
    log: createLogger({ format: 'json', level: 'info', clock, stream: output, ...options }),
  };
}

describe('createLogger', () => {
  it('writes JSON lines with the time of the clock', async () => {
    const { log, output, clock } = logger();
    log.info('first', { namespace: 'shop' });
    await clock.advance(1_000);
    log.warn('second');
    await clock.settle();
    expect(output.lines).toEqual([
      { time: '2026-01-02T03:04:05.006Z', level: 'info', message: 'first', namespace: 'shop' },
      { time: '2026-01-02T03:04:06.006Z', level: 'warn', message: 'second' },
    ]);
  });

  it('does not look at the fields of a line that its level leaves out', () => {
    const { log } = logger({ level: 'info' });
    const fields = {
      get name(): string {
        throw new Error('read');
      },
    };
    log.debug('left out', fields);
    expect(() => log.info('written', fields)).toThrow('read');
  });

  it('writes console lines', async () => {
    const { log, output, clock } = logger({ format: 'console' });
    log.error('failed', { workload: 'shop/web' });
    await clock.settle();
    expect(output.text).toBe('2026-01-02T03:04:05.006Z ERROR failed workload=shop/web\n');
  });

  it.each([
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
  ] as const)('at level %s writes %j', async (level, written) => {
    const { log, output, clock } = logger({ level });
    log.error('e');
    log.warn('w');
    log.info('i');
    log.debug('d');
    await clock.settle();
    expect(output.lines).toMatchObject(written.map((name) => ({ level: name })));
  });

  it('adds the fields of all parents to the lines of a child, nearest parent last', async () => {
    const { log, output, clock } = logger();
    log.child({ component: 'queue', a: 1 }).child({ a: 2, b: 3 }).info('line', { b: 4 });
    log.info('parent');
    await clock.settle();
    expect(output.lines).toMatchObject([{ component: 'queue', a: 2, b: 4 }, { message: 'parent' }]);
    expect(output.lines[1]).not.toHaveProperty('component');
  });

  it('writes at once after its first turn: a line before an exit is not lost', async () => {
    const { log, output, clock } = logger();
    await clock.settle();
    log.error('last words');
    expect(output.text).toContain('last words');
  });

  it('survives a stream that fails', async () => {
    const broken = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    const { log, clock } = logger({ stream: broken });
    log.info('one');
    await clock.settle();
    expect(() => log.info('two')).not.toThrow();
    await clock.settle();
    expect(broken.destroyed).toBe(true);
  });
});
