import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { cliIo } from './cli-io';

describe('cliIo', () => {
  it('writes answers and problems to streams of their own', () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const io = cliIo({ stdout, stderr });
    io.out('answer');
    io.err('problem');
    expect([stdout.read(), stderr.read()].map(String)).toEqual(['answer', 'problem']);
  });

  it.each(['out', 'err'] as const)('lives on when who reads %s has gone away, as head does', async (name) => {
    const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error('write EPIPE')) });
    const io = cliIo({ stdout: gone, stderr: gone });
    io[name]('first');
    // An event that nobody listens to would be an uncaught error here.
    await setImmediate();
    expect(gone.errored?.message).toBe('write EPIPE');
    expect(() => io[name]('second')).not.toThrow();
    await setImmediate();
  });
});
