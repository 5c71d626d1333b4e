import { parseArguments, UsageError, type Asked } from './arguments';
import { Baseline } from './baseline';
import { benches, type Setting } from './benches';
import { machine } from './machine';
import { asJson, asText, holds, type BenchResult } from './result';
import { openRealStage, openSimulatedStage } from './stage';
import { otherSubject, reroll } from './subject';

const usageExitCode = 2;

async function main(args: readonly string[]): Promise<number> {
  let asked: Asked;
  try {
    asked = parseArguments(args, new Map(Object.entries(benches).map(([name, { summary }]) => [name, summary])));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return usageExitCode;
  }
  const setting: Setting = {
    tell: (what) => console.error(what),
    openStage: asked.simulated ? openSimulatedStage : openRealStage,
    subject: asked.command === undefined ? reroll : otherSubject(asked.command),
    minutes: asked.minutes,
  };
  const baseline = Baseline.read();
  let allHold = true;
  for (const name of asked.names) {
    const result = await measure(name, setting);
    console.log(asked.json ? asJson(result) : asText(result, baseline.of(name)));
    allHold &&= result.figures.every((figure) => holds(figure) !== false);
    if (asked.store) baseline.store(result);
  }
  return allHold ? 0 : 1;
}

async function measure(name: string, setting: Setting): Promise<BenchResult> {
  const where = machine();
  const measured = await benches[name]?.measure(setting);
  if (!measured) throw new Error(`no bench ${name}`);
  return { bench: name, machine: where, ...measured };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
