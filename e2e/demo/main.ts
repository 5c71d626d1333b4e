import { writeFile } from 'node:fs/promises';
import { errorMessage } from '../../shared/domain/errors';
import { systemClock } from '../../shared/runtime/clock';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { parseArguments, type DemoRequest } from './arguments';
import { Demo } from './demo';
import { Guard } from './guard';
import { picture, pictureScene, sceneLines } from './picture';
import { scenes } from './scenes';
import { Timeline } from './timeline';

const usageExitCode = 2;
/** By convention, 128 plus the number of the signal. */
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
    void run(request);
}

type PlayRequest = Extract<DemoRequest, { kind: 'play' }>;

/** Never rejects. Ends the process, unless `keep` is set and nothing fails. */
async function run({ keep, picture: pictureFile }: PlayRequest): Promise<void> {
  const { dir } = createTemporaryDir();
  const guard = new Guard(dir);
  const shown: string[] = [];
  const timeline = new Timeline({
    write: (text) => {
      shown.push(text);
      process.stdout.write(text);
    },
    // The picture has colours of its own.
    colour: process.stdout.isTTY && !process.env['NO_COLOR'] && pictureFile === undefined,
    nowMs: () => systemClock.nowMs(),
  });
  const demo = new Demo({ clock: systemClock, timeline, guard, temporaryDir: dir, scenes });
  let ending = false;
  const end = async (code: number): Promise<void> => {
    if (ending) return;
    ending = true;
    await demo.close();
    await guard.release();
    process.exit(code);
  };
  for (const [signal, code] of Object.entries(signalExitCodes)) process.on(signal, () => void end(code));
  // The reader may close the pipe, as `head` does. Then nobody sees the demo, so it ends.
  process.stdout.on('error', () => void end(1));
  try {
    const ok = await demo.play();
    if (pictureFile !== undefined) await writeFile(pictureFile, picture(sceneLines(shown.join(''), pictureScene)));
    if (keep) await demo.stayUp();
    else await end(ok ? 0 : 1);
  } catch (thrown) {
    process.stderr.write(`the demo broke off: ${errorMessage(thrown)}\n`);
    await end(1);
  }
}
