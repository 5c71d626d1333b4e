import { Writable } from 'node:stream';
import type { Clock } from '../clock';

/** Nobody reads faster. */
const gatherMs = 20;

/**
 * Writes to standard output what was gathered in 20 ms, as one piece. A pipe is written to synchronously, and to wait for its
 * reader with each of a thousand lines held up the restarts that they tell about. What was gathered last is there before
 * the process exits.
 */
export function batchedStdout(process: Pick<NodeJS.Process, 'stdout' | 'once'>, clock: Clock): Writable {
  const { stdout } = process;
  let gathered = '';
  const flush = (): void => {
    if (gathered !== '') stdout.write(gathered);
    gathered = '';
  };
  // A reader that went away (EPIPE) is reported as an event, which would end the process if nobody listened.
  stdout.on('error', () => undefined);
  process.once('exit', flush);
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      if (gathered === '') clock.timer(gatherMs, flush);
      gathered += line;
      done();
    },
  });
}
