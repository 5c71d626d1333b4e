import { existsSync } from 'node:fs';
import { buildOnceWithinModule, type ModuleProgram, type ProgramBuildOptions, programFile } from './go-command';
import { type ProgramOptions, runProgram } from './run-program';
import { pinnedVersion } from './versions';

/** How to run promtool. */
export interface PromtoolOptions extends ProgramOptions {
  readonly file?: string;
}

const folder = 'prometheus';
const modulePath = 'github.com/prometheus/prometheus';
const version = pinnedVersion(folder, modulePath).slice(1);

const program: ModuleProgram = {
  ...{ folder, modulePath, mainPackage: './cmd/promtool' },
  linkerFlags: () => [`-X github.com/prometheus/common/version.Version=${version}`],
};

const promtoolFile = programFile('promtool', program);

/** Builds Prometheus' own tool for rules and metrics, unless it exists. */
export async function buildPromtool({ file = promtoolFile, ...options }: ProgramBuildOptions = {}): Promise<void> {
  await buildOnceWithinModule(program, file, options);
}

/**
 * Runs promtool and resolves with its output; rejects with its error output.
 *
 * @example await promtool(['check', 'rules', '--lint-fatal', 'rules.yaml']);
 */
export async function promtool(
  args: readonly string[],
  { file = promtoolFile, ...options }: PromtoolOptions = {},
): Promise<string> {
  if (!existsSync(file)) throw new Error('promtool is not built yet: call buildPromtool first');
  return await runProgram(file, args, options);
}
