/** What `npm run bench` was asked for. */
export interface Asked {
  readonly name: string;
  readonly json: boolean;
}

export class UsageError extends Error {}

/**
 * `args` are those of the process without interpreter and script.
 *
 * @throws UsageError that lists the benches.
 */
export function parseArguments(args: readonly string[], known: ReadonlyMap<string, string>): Asked {
  const list = [...known].map(([name, summary]) => `  ${name}  ${summary}`).join('\n');
  const usage = `usage: npm run bench -- NAME [--json]\n${list}`;
  const flags = args.filter((arg) => arg.startsWith('-'));
  const names = args.filter((arg) => !arg.startsWith('-'));
  const unknown = flags.find((flag) => flag !== '--json');
  if (unknown !== undefined) throw new UsageError(`unknown flag "${unknown}"\n${usage}`);
  const [name, ...more] = names;
  if (name === undefined || more.length > 0) throw new UsageError(`name one bench\n${usage}`);
  if (!known.has(name)) throw new UsageError(`there is no bench "${name}"\n${usage}`);
  return { name, json: flags.length > 0 };
}
