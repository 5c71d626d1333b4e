import type { Files } from '../manifests/files';
import { runManifestCommand, type TestWorld } from '../manifests/manifests.fixture';
import { lintCommandIn } from './lint-command';

/** Runs `reroll lint` with these files; `-` is standard input. */
export async function runLint(args: readonly string[], files: Files, world?: TestWorld) {
  return await runManifestCommand({ name: 'lint', summary: 'Lints.', loadIn: lintCommandIn }, args, files, world);
}
