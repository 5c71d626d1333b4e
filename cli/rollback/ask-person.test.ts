import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { InterruptedError } from '../cluster/cluster-command';
import { askPerson } from './ask-person';

describe('a question to the person at the terminal', () => {
  async function typed(keys: string, isTTY = true) {
    const [stdin, stderr] = [new PassThrough(), new PassThrough()];
    const process = {
      stdin: Object.assign(stdin, { isTTY, setRawMode: () => stdin }),
      stderr: Object.assign(stderr, { isTTY }),
    };
    const asking = askPerson(process as never, 'Put it back? [y/N] ');
    stdin.write(keys);
    return await asking;
  }

  it.each([
    ['y', 'y\r', 'y'],
    ['nothing', '\r', ''],
    ['Ctrl-D', '\u0004', ''],
  ])('is answered with %s', async (_what, keys, line) => {
    expect(await typed(keys)).toBe(line);
  });

  it('is interrupted by Ctrl-C', async () => {
    await expect(typed('\u0003')).rejects.toThrow(InterruptedError);
  });

  it('is not asked if nobody is there', async () => {
    expect(await typed('y\r', false)).toBeUndefined();
  });
});
