import { rmSync } from 'node:fs';
import { errorMessage } from '../../shared/domain/errors';
import { runAtExit } from '../control-plane/exit-cleanup';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { Buildah } from './buildah';
import { buildImage } from './built-image';
import { killDescendants } from './child-processes';
import { missingPrerequisites, thisMachine } from './prerequisites';
import { runningChecks } from './running-checks';
import { staticChecks } from './static-checks';

/** Builds and checks the image. Resolves with the number of checks that failed. */
async function checkImage(dir: string): Promise<number> {
  const buildah = new Buildah(dir);
  const image = await buildImage(buildah, dir, (line) => console.log(line));
  let failed = 0;
  for (const { name, run } of [...staticChecks, ...runningChecks(dir)]) {
    try {
      console.log(`ok      ${name}: ${await run(image)}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}: ${errorMessage(error)}`);
    }
  }
  return failed;
}

async function main(): Promise<number> {
  const missing = missingPrerequisites(thisMachine);
  if (missing !== undefined) {
    console.error(missing);
    // A check that cannot run has not passed.
    return 1;
  }
  const { dir } = createTemporaryDir();
  // Also on Ctrl-C and after a crash, because the store of the images takes gigabytes. Processes that still write to it
  // are killed first.
  runAtExit(() => {
    killDescendants(process.pid);
    rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  return (await checkImage(dir)) === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`The image is not checked: ${errorMessage(error)}`);
    process.exit(1);
  },
);
