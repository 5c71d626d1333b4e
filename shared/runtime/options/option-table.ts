import type * as z from 'zod';

/** Common fields of all flags. */
interface OptionRowBase {
  /** The name as typed, without the dashes: `settle-max`. */
  readonly flag: string;
  /** One letter that stands for the name, after one dash: `f`. */
  readonly short?: string;
  /**
   * A variable that others may have set already (`POD_NAME`, or one of Reloader's). It is read after our
   * `REROLL_<FLAG>`.
   */
  readonly fallbackEnv?: string;
  readonly describe: string;
  /** The row's heading in the help; see {@link inGroup}. */
  readonly group?: string;
  /** The accepted values, for the help and for error messages. */
  readonly accepts: string;
  /** The default, as typed. Without one, the schema receives `undefined`. */
  readonly default?: string;
  /** The value may be a credential, so no message shows it. */
  readonly confidential?: true;
}

/**
 * One option: a row of a command's table, which is compiled once into a typed object.
 *
 * - `switch`: `--x`, `--x=true`, `--x true`
 * - `value`, the default: `--x=v`, `--x v`; if repeated, the last one counts
 * - `list`: like `value`, each a CSV record; if repeated, the elements add up
 */
export type OptionRow =
  | (OptionRowBase & { readonly form?: 'switch' | 'value'; readonly schema: z.ZodType<unknown, string | undefined> })
  | (OptionRowBase & { readonly form: 'list'; readonly schema: z.ZodType<unknown, readonly string[]> });

/** Rows by the name of the option in the code. */
export type OptionTable = Readonly<Record<string, OptionRow>>;

export type OptionValues<T extends OptionTable> = { readonly [Name in keyof T]: z.output<T[Name]['schema']> };

export const envPrefix = 'REROLL_';

/** `settle-max` -> `REROLL_SETTLE_MAX` */
export function optionEnv(row: OptionRow): string {
  return envPrefix + row.flag.toUpperCase().replaceAll('-', '_');
}

/**
 * Kubernetes adds these for every Service in the namespace (`REROLL_SERVICE_HOST`, `REROLL_PORT_9090_TCP_ADDR`). They
 * must be ignored, or an install with a Service called `reroll` or `reroll-…` would reject its own environment.
 */
const serviceLink = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;

/** What Kubernetes puts into `REROLL_PORT` for a Service `reroll`. */
const serviceAddress = /^(tcp|udp|sctp):\/\//;

/** Whether Kubernetes has set a variable for a Service, which has the name of that of a flag, such as `--port`. */
export function isServiceLink(variable: string, text: string): boolean {
  return serviceLink.test(variable) && serviceAddress.test(text);
}

/** Whether a variable can only be meant for Reroll. */
export function claimsToBeOption(variable: string): boolean {
  return variable.startsWith(envPrefix) && !serviceLink.test(variable);
}

/** Puts all rows of a table under one heading in the help. */
export function inGroup<T extends OptionTable>(group: string, table: T): T {
  const rows = Object.entries(table).map(([name, row]) => [name, { ...row, group }] as const);
  return Object.fromEntries(rows) as T;
}
