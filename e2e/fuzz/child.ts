import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { Finding } from './finding';
import { fuzz, type FuzzOptions, type FuzzReport } from './fuzz';
import { ProgressWriter } from './progress';
import type { Target } from './target';

/** The task of a child process. */
export interface ChildTask extends Pick<FuzzOptions, 'seed' | 'corpus' | 'words' | 'limits' | 'distil'> {
  /** `counted`, `plain` and `progress` are paths of files. */
  readonly counted: string;
  readonly plain: string;
  readonly progress: string;
}

/**
 * A message of the child process. It sends a finding as soon as it is sure, because the next input may end the process.
 */
export type ChildMessage =
  { readonly kind: 'finding'; readonly finding: Finding } | { readonly kind: 'report'; readonly report: FuzzReport };

process.once('message', (task: ChildTask) => {
  void run(task).finally(() => process.disconnect());
});

async function run({ counted, plain, progress: path, ...options }: ChildTask): Promise<void> {
  const progress = new ProgressWriter(path);
  await fuzz({
    ...options,
    counted: loaded(counted),
    plain: () => loaded(plain),
    progress,
    onFinding: (finding) => tell({ kind: 'finding', finding }),
    onReport: (report) => tell({ kind: 'report', report }),
  });
  progress.close();
}

function tell(message: ChildMessage): void {
  process.send?.(message);
}

/** Loads the target with a state of its own: module variables are not shared between calls. */
function loaded(file: string): Target {
  const module: { exports: { target?: Target } } = { exports: {} };
  const load = compileFunction(readFileSync(file, 'utf8'), ['module', 'exports', 'require']) as (
    ...given: unknown[]
  ) => void;
  load(module, module.exports, createRequire(file));
  if (!module.exports.target) throw new Error('the bundle exports no target');
  return module.exports.target;
}
