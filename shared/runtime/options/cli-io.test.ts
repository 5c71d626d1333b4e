import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { cliIo } from './cli-io';

describe('cliIo', () => {
  it('writes answers and problems to separate streams', () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const io = cliIo({ stdout, stderr });
    io.out('answer');
    io.err('problem');
    expect([stdout.read(), stderr.read()].map(String)).toEqual(['answer', 'problem']);
  });

  it.each(['out', 'err'] as const)('survives when the reader of %s exits, as head does', async (name) => {
    const closed = new Writable({ write: (_chunk, _encoding, done) => done(new Error('write EPIPE')) });
    const io = cliIo({
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      [name === 'out' ? 'stdout' : 'stderr']: closed,
    });
    io[name]('first');
    // Without a listener, the event would be an uncaught error here.
    await setImmediate();
    expect(closed.errored?.message).toBe('write EPIPE');
    expect(io.closed?.aborted).toBe(name === 'out');
    expect(() => io[name]('second')).not.toThrow();
    await setImmediate();
  });
});
