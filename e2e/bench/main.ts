import { parseArguments, UsageError, type Asked } from './arguments';
import { benches } from './benches';
import { machine } from './machine';
import { asJson, asText, holds, type BenchResult } from './result';

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
  const { name, json } = asked;
  const where = machine();
  const measured = await benches[name]?.measure((what) => console.error(what));
  if (!measured) throw new Error(`no bench ${name}`);
  const result: BenchResult = { bench: name, machine: where, ...measured };
  console.log(json ? asJson(result) : asText(result));
  return result.figures.some((figure) => holds(figure) === false) ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
