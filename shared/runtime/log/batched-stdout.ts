import { Writable } from 'node:stream';
import type { Clock } from '../clock';

/** Time for which lines are gathered; short enough that nobody notices the delay. */
const gatherMs = 20;

/**
 * Writes to standard output in batches of 20 ms. Pipes are written synchronously: waiting for the reader at each of a
 * thousand lines delayed the restarts that the lines report. The last batch is written before the process exits.
 */
export function batchedStdout(process: Pick<NodeJS.Process, 'stdout' | 'once'>, clock: Clock): Writable {
  const { stdout } = process;
  let gathered = '';
  const flush = (): void => {
    if (gathered !== '') stdout.write(gathered);
    gathered = '';
  };
  // A closed reader (EPIPE) is reported as an event, which would end the process without a listener.
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
