import type * as z from 'zod';

/** What every flag has, whatever its form. */
interface OptionRowBase {
  /** As it is typed, without the dashes: `settle-max`. */
  readonly flag: string;
  /** A variable that others set already (`POD_NAME`, Reloader's): read after ours, `REROLL_<FLAG>`. */
  readonly fallbackEnv?: string;
  readonly describe: string;
  /** Heading of the help under which it stands; see {@link inGroup}. */
  readonly group?: string;
  /** What may be given, for the help and for the message about anything else. */
  readonly accepts: string;
  /** As it would be typed. Without one, the schema is fed `undefined`. */
  readonly default?: string;
  /** What is given may be a credential: no message shows it. */
  readonly confidential?: true;
}

/**
 * One option: a row of the table that its command compiles once into a typed object.
 *
 * - `switch`: `--x`, `--x=true`, `--x true`
 * - `value`: `--x=v`, `--x v`; given twice, the last one counts
 * - `list`: as `value`, a CSV record each; given twice, the elements add up
 */
export type OptionRow =
  | (OptionRowBase & { readonly form: 'switch' | 'value'; readonly schema: z.ZodType<unknown, string | undefined> })
  | (OptionRowBase & { readonly form: 'list'; readonly schema: z.ZodType<unknown, readonly string[]> });

/** Rows by the name that the option has in the code. */
export type OptionTable = Readonly<Record<string, OptionRow>>;

export type OptionValues<T extends OptionTable> = { readonly [Name in keyof T]: z.output<T[Name]['schema']> };

const envPrefix = 'REROLL_';

/** `settle-max` -> `REROLL_SETTLE_MAX` */
export function optionEnv(row: OptionRow): string {
  return envPrefix + row.flag.toUpperCase().replaceAll('-', '_');
}

/**
 * Kubernetes adds these for every Service of the namespace (`REROLL_SERVICE_HOST`, `REROLL_PORT_9090_TCP_ADDR`): an
 * install with a Service called `reroll` or `reroll-…` would otherwise refuse its own environment.
 */
const serviceLink = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;

/** Whether a variable can only have been meant for us. */
export function claimsToBeOption(variable: string): boolean {
  return variable.startsWith(envPrefix) && !serviceLink.test(variable);
}

/** The same rows, told together in the help under a heading. */
export function inGroup<T extends OptionTable>(group: string, table: T): T {
  const rows = Object.entries(table).map(([name, row]) => [name, { ...row, group }] as const);
  return Object.fromEntries(rows) as T;
}
