import { Writable } from 'node:stream';
import type { Clock } from './clock';

/**
 * Writes to standard output once a turn of the event loop, however many lines the turn has. A pipe is written to
 * synchronously, and to wait for its reader with each of a thousand lines held up the restarts that they tell about. What
 * the last turn wrote is there before the process exits.
 */
export function turnWriter(process: Pick<NodeJS.Process, 'stdout' | 'once'>, clock: Clock): Writable {
  const { stdout } = process;
  let isCorked = false;
  const flush = (): void => {
    isCorked = false;
    stdout.uncork();
  };
  // A reader that went away (EPIPE) is reported as an event, which would end the process if nobody listened.
  stdout.on('error', () => undefined);
  process.once('exit', flush);
  return new Writable({
    decodeStrings: false,
    write(line: string, encoding, done) {
      if (!isCorked) {
        isCorked = true;
        stdout.cork();
        clock.timer(0, flush);
      }
      stdout.write(line, encoding);
      done();
    },
  });
}
