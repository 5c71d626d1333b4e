import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { FakeClock } from '../fake-clock';
import { Lifecycle, obeySignals, type Component, type StopSignal } from './lifecycle';
import { RecordingLogger } from '../log/recording-logger';

interface Deferred {
  promise: Promise<void>;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

function deferred(): Deferred {
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

function harness(options: { drainMs?: number } = {}) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const calls: string[] = [];
  const exits: number[] = [];
  const listeners = new Map<StopSignal, () => void>();
  let onCrash: (thrown: unknown) => void = () => undefined;

  const component = (name: string, overrides: Partial<Component> = {}): Component => ({
    name,
    start: async () => {
      calls.push(`start ${name}`);
      await overrides.start?.();
    },
    stop: async () => {
      calls.push(`stop ${name}`);
      await overrides.stop?.();
    },
  });
  const run = async (...components: Component[]): Promise<void> => {
    const lifecycle = new Lifecycle({
      clock,
      logger,
      components,
      process: {
        onSignal: (signal, listener) => listeners.set(signal, listener),
        onCrash: (listener) => (onCrash = listener),
        exit: (code) => exits.push(code),
      },
      ...options,
    });
    void lifecycle.run();
    await clock.settle();
  };
  const signal = async (name: StopSignal): Promise<void> => {
    listeners.get(name)?.();
    await clock.settle();
  };
  const crash = async (thrown: unknown): Promise<void> => {
    onCrash(thrown);
    await clock.settle();
  };
  const messages = () => logger.lines.map(({ message }) => message);
  return { clock, logger, calls, exits, component, run, signal, crash, messages };
}

describe('Lifecycle', () => {
  it('starts in order, each after the one before it', async () => {
    const { calls, component, run, clock, messages } = harness();
    const slow = deferred();
    await run(component('first', { start: () => slow.promise }), component('second'));
    expect(calls).toEqual(['start first']);
    slow.resolve();
    await clock.settle();
    expect(calls).toEqual(['start first', 'start second']);
    expect(messages()).toEqual(['started']);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('%s stops in reverse order and exits 0', async (name) => {
    const { calls, exits, component, run, signal, clock } = harness();
    await run(component('first'), component('second'));
    await signal(name);
    expect(calls).toEqual(['start first', 'start second', 'stop second', 'stop first']);
    expect(exits).toEqual([0]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits for one stop before the next', async () => {
    const { calls, exits, component, run, signal, clock } = harness();
    const slow = deferred();
    await run(component('first'), component('second', { stop: () => slow.promise }));
    await signal('SIGTERM');
    expect(calls).not.toContain('stop first');
    slow.resolve();
    await clock.settle();
    expect(calls.at(-1)).toBe('stop first');
    expect(exits).toEqual([0]);
  });

  it('stops what was started when a component fails to start, and exits 1', async () => {
    const { calls, exits, component, run, logger } = harness();
    const broken = component('second', { start: () => Promise.reject(new Error('port taken')) });
    await run(component('first'), broken, component('third'));
    expect(calls).toEqual(['start first', 'start second', 'stop first']);
    expect(exits).toEqual([1]);
    expect(logger.lines).toContainEqual({
      level: 'error',
      message: 'a component failed to start',
      fields: { component: 'second', error: 'port taken' },
    });
  });

  it('treats a start that throws synchronously like one that rejects', async () => {
    const { exits, run } = harness();
    await run({
      name: 'broken',
      start: () => {
        throw new Error('at once');
      },
      stop: () => Promise.resolve(),
    });
    expect(exits).toEqual([1]);
  });

  it('lets a running start finish, then stops it, when the signal arrives first', async () => {
    const { calls, exits, component, run, signal, clock } = harness();
    const slow = deferred();
    await run(component('first'), component('second', { start: () => slow.promise }), component('third'));
    await signal('SIGTERM');
    expect(exits).toEqual([]);
    slow.resolve();
    await clock.settle();
    expect(calls).toEqual(['start first', 'start second', 'stop second', 'stop first']);
    expect(exits).toEqual([0]);
  });

  it('names what hangs at the deadline and exits 1', async () => {
    const { exits, component, run, signal, clock, logger } = harness();
    await run(component('first'), component('stuck', { stop: () => new Promise(() => undefined) }));
    await signal('SIGTERM');
    await clock.advance(8_999);
    expect(exits).toEqual([]);
    await clock.advance(1);
    expect(exits).toEqual([1]);
    expect(logger.lines.at(-1)).toEqual({
      level: 'error',
      message: 'did not stop in time',
      fields: { component: 'stuck', drainMs: 9_000, notStopped: ['first'] },
    });
  });

  it('names a start that hangs when the process must stop', async () => {
    const { exits, component, run, signal, clock, logger } = harness();
    await run(component('stuck', { start: () => new Promise(() => undefined) }));
    await signal('SIGTERM');
    await clock.advance(9_000);
    expect(exits).toEqual([1]);
    expect(logger.lines.at(-1)?.fields).toMatchObject({ component: 'stuck' });
  });

  it('drains for the configured time', async () => {
    const { exits, component, run, signal, clock } = harness({ drainMs: 100 });
    await run(component('stuck', { stop: () => new Promise(() => undefined) }));
    await signal('SIGTERM');
    await clock.advance(100);
    expect(exits).toEqual([1]);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('a second signal, %s, exits at once with %i, and only once', async (second, code) => {
    const { exits, component, run, signal, clock } = harness();
    const slow = deferred();
    await run(component('slow', { stop: () => slow.promise }));
    await signal('SIGTERM');
    await signal(second);
    expect(exits).toEqual([code]);
    slow.resolve();
    await clock.advance(9_000);
    expect(exits).toEqual([code]);
  });

  it('continues stopping when one component fails to stop, and exits 1', async () => {
    const { calls, exits, component, run, signal, logger } = harness();
    await run(component('first'), component('second', { stop: () => Promise.reject(new Error('gone')) }));
    await signal('SIGTERM');
    expect(calls.at(-1)).toBe('stop first');
    expect(exits).toEqual([1]);
    expect(logger.lines.at(-1)).toMatchObject({ fields: { component: 'second', error: 'gone' } });
  });

  it('logs a crash with its stack and drains with exit 1', async () => {
    const { calls, exits, component, run, crash, logger } = harness();
    await run(component('first'));
    const error = new Error('unforeseen');
    await crash(error);
    expect(calls).toEqual(['start first', 'stop first']);
    expect(exits).toEqual([1]);
    expect(logger.lines).toContainEqual({
      level: 'error',
      message: 'crashed',
      fields: { error: 'unforeseen', stack: error.stack },
    });
  });

  it('a crash while draining turns the exit into 1 without a second drain', async () => {
    const { calls, exits, component, run, signal, crash, clock } = harness();
    const slow = deferred();
    await run(component('first'), component('second', { stop: () => slow.promise }));
    await signal('SIGTERM');
    await crash('not even an error');
    expect(calls).not.toContain('stop first');
    slow.resolve();
    await clock.settle();
    expect(calls.slice(2)).toEqual(['stop second', 'stop first']);
    expect(exits).toEqual([1]);
  });
});

describe('obeySignals', () => {
  function processOf(pid: number) {
    const exits: number[] = [];
    const emitter = new EventEmitter();
    const process = Object.assign(emitter, { pid, exit: (code: number) => exits.push(code) });
    obeySignals(process as unknown as NodeJS.Process);
    return { emitter, exits };
  }

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ends process 1 at %s, which the kernel would ignore', (signal, code) => {
    const { emitter, exits } = processOf(1);
    emitter.emit(signal);
    expect(exits).toEqual([code]);
  });

  it('leaves the signal to whoever listens, once or for good', () => {
    const { emitter, exits } = processOf(1);
    const heard: string[] = [];
    emitter.once('SIGINT', () => heard.push('SIGINT'));
    emitter.on('SIGTERM', () => heard.push('SIGTERM'));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGTERM']) emitter.emit(signal);
    expect(heard).toEqual(['SIGINT', 'SIGTERM', 'SIGTERM']);
    expect(exits).toEqual([]);
    emitter.emit('SIGINT');
    expect(exits).toEqual([130]);
  });

  it('leaves other processes to the kernel, which tells the shell that a signal ended them', () => {
    const { emitter } = processOf(7);
    expect(emitter.eventNames()).toEqual([]);
  });
});
