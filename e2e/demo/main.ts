import { errorMessage } from '../../shared/domain/errors';
import { systemClock } from '../../shared/runtime/clock';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { parseArguments } from './arguments';
import { Demo } from './demo';
import { Guard } from './guard';
import { Timeline } from './timeline';

const usageExitCode = 2;
/** By convention 128 plus the number of the signal. */
const signalExitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const request = parseArguments(process.argv.slice(2));
switch (request.kind) {
  case 'help':
    process.stdout.write(request.text);
    break;
  case 'usage-error':
    process.stderr.write(request.text);
    process.exitCode = usageExitCode;
    break;
  case 'play':
    void run(request.keep);
}

/** Never rejects; ends the process, unless it is to stay up. */
async function run(keep: boolean): Promise<void> {
  const { dir } = createTemporaryDir();
  const guard = new Guard(dir);
  const timeline = new Timeline({
    write: (text) => process.stdout.write(text),
    colour: process.stdout.isTTY && !process.env['NO_COLOR'],
    nowMs: () => systemClock.nowMs(),
  });
  const demo = new Demo({ clock: systemClock, timeline, guard, temporaryDir: dir });
  let ending = false;
  const end = async (code: number): Promise<void> => {
    if (ending) return;
    ending = true;
    await demo.close();
    await guard.release();
    process.exit(code);
  };
  for (const [signal, code] of Object.entries(signalExitCodes)) process.on(signal, () => void end(code));
  // Who reads may go away, as `head` does: then nobody is left to play for.
  process.stdout.on('error', () => void end(1));
  try {
    const ok = await demo.play();
    if (keep) await demo.stayUp();
    else await end(ok ? 0 : 1);
  } catch (thrown) {
    process.stderr.write(`the demo broke off: ${errorMessage(thrown)}\n`);
    await end(1);
  }
}
