import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArguments, UsageError, type Asked } from './arguments';
import { bundleChild, bundleFolder, bundleTarget } from './bundle';
import { readCorpus, storeCorpus } from './corpus-files';
import { findingName, type Finding } from './finding';
import { replay } from './replay';
import { describeResults, describeTotal } from './report';
import { runTarget, type TargetResult } from './run-target';
import { entryOf, loadTarget, targets } from './targets';

/** The limit for one target: later findings are mostly the same bug in other words. */
const maxFindings = 5;

const findingsFolder = join('.cache', 'fuzz');

async function main(args: readonly string[]): Promise<number> {
  let asked: Asked;
  try {
    asked = parseArguments(args, [...targets.keys()]);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return 2;
  }
  switch (asked.kind) {
    case 'list':
      for (const [name, summary] of targets) console.log(`${name.padEnd(22)}${summary}`);
      return 0;
    case 'replay':
      return await runOne(asked.target, asked.file);
    case 'fuzz':
      return await runAll(asked);
  }
}

async function runAll({ targets: names, minutes, seed, store }: Asked & { readonly kind: 'fuzz' }): Promise<number> {
  const child = await bundleChild();
  // The time to bundle a target does not count against its time.
  const ms = (minutes * 60_000) / names.length;
  const results = new Map<string, TargetResult>();
  for (const name of names) {
    const bundle = await bundleTarget(entryOf(name));
    const result = await runTarget({
      ...{ bundle, child, seed, distil: store, corpus: readCorpus(name) },
      limits: { ms, executions: Infinity, findings: maxFindings },
      onFinding: (finding) => tell(name, finding),
    });
    results.set(name, result);
    if (store && result.distilled)
      storeCorpus(
        name,
        result.distilled.map((input) => Buffer.from(input)),
      );
  }
  rmSync(bundleFolder, { recursive: true });
  console.log(describeResults(results));
  console.log(describeTotal(results.values()));
  return [...results.values()].some(({ findings }) => findings.length > 0) ? 1 : 0;
}

/** Saves the input, and says how to see it again. */
function tell(target: string, finding: Finding): void {
  mkdirSync(findingsFolder, { recursive: true });
  const file = join(findingsFolder, findingName(target, finding));
  writeFileSync(file, finding.input);
  console.log(`${target}: ${finding.kind}: ${finding.what}`);
  console.log(`  npm run fuzz -- --target ${target} --replay ${file}`);
}

async function runOne(name: string, file: string): Promise<number> {
  const { lines, isWell } = await replay(await loadTarget(name), readFileSync(file));
  console.log(lines.join('\n'));
  return isWell ? 0 : 1;
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
