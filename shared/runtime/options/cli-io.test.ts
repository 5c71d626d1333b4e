import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { cliIo } from './cli-io';

function failing(code: string): Writable {
  const error = Object.assign(new Error(`write ${code}`), { code });
  return new Writable({ write: (_chunk, _encoding, done) => done(error) });
}

describe('cliIo', () => {
  it('writes answers and problems to separate streams', () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const io = cliIo({ stdout, stderr });
    io.out('answer');
    io.err('problem');
    expect([stdout.read(), stderr.read()].map(String)).toEqual(['answer', 'problem']);
  });

  it.each(['out', 'err'] as const)('survives when the reader of %s exits, as head does', async (name) => {
    const closed = failing('EPIPE');
    const streams = { stdout: new PassThrough(), stderr: new PassThrough(), exitCode: undefined };
    const io = cliIo({ ...streams, [name === 'out' ? 'stdout' : 'stderr']: closed });
    io[name]('first');
    // Without a listener, the event would be an uncaught error here.
    await setImmediate();
    expect(closed.errored?.message).toBe('write EPIPE');
    expect(io.closed?.aborted).toBe(name === 'out');
    expect(() => io[name]('second')).not.toThrow();
    await setImmediate();
    expect(streams).toMatchObject({ exitCode: undefined });
    expect(streams.stderr.read()).toBeNull();
  });

  it.each([
    [100, 100],
    [0, undefined],
    [undefined, undefined],
  ])('takes a terminal of width %p for one of width %p', (columns, width) => {
    const stdout = Object.assign(new PassThrough(), columns === undefined ? {} : { columns });
    expect(cliIo({ stdout, stderr: new PassThrough() }).columns).toBe(width);
  });

  it('says once that output cannot be written, and fails', async () => {
    const stderr = new PassThrough();
    const streams = { stdout: failing('ENOSPC'), stderr, exitCode: undefined };
    const io = cliIo(streams);
    io.out('first');
    io.out('second');
    await setImmediate();
    io.out('third');
    await setImmediate();
    expect(String(stderr.read())).toBe('cannot write the answer: write ENOSPC\n');
    expect(streams).toMatchObject({ exitCode: 2 });
  });
});
