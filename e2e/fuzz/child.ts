import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { Finding } from './finding';
import { fuzz, type FuzzOptions, type FuzzReport } from './fuzz';
import { ProgressWriter } from './progress';
import type { Target } from './target';

/** What a child process is told. */
export interface ChildTask extends Pick<FuzzOptions, 'seed' | 'corpus' | 'words' | 'limits' | 'distil'> {
  /** Files. */
  readonly counted: string;
  readonly plain: string;
  readonly progress: string;
}

/** What it tells; a finding as soon as it is sure, for what comes next may be the end of the process. */
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

/** Each time with state of its own. */
function loaded(file: string): Target {
  const module: { exports: { target?: Target } } = { exports: {} };
  const load = compileFunction(readFileSync(file, 'utf8'), ['module', 'exports', 'require']) as (
    ...given: unknown[]
  ) => void;
  load(module, module.exports, createRequire(file));
  if (!module.exports.target) throw new Error('the bundle exports no target');
  return module.exports.target;
}
