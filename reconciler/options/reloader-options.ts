import * as z from 'zod';
import { goBool, goBoolAccepts } from '../../shared/runtime/options/option-schemas';
import type { OptionTable, OptionValues } from '../../shared/runtime/options/option-table';

/** Flags of Reloader that mean less here: an install that passes them must start all the same. */
export const reloaderOptionTable = {
  enableHa: {
    flag: 'enable-ha',
    form: 'switch',
    schema: goBool,
    default: 'false',
    describe: "Share Reloader's lease instead of our own. Replicas always share one.",
    accepts: goBoolAccepts,
  },
  syncAfterRestart: {
    flag: 'sync-after-restart',
    form: 'switch',
    schema: goBool,
    default: 'false',
    describe: 'No effect: what changed while nobody watched is always found.',
    accepts: goBoolAccepts,
  },
  enablePprof: {
    flag: 'enable-pprof',
    form: 'switch',
    schema: goBool,
    default: 'false',
    describe: 'No effect: there is no Go in here to profile.',
    accepts: goBoolAccepts,
  },
  pprofAddr: {
    flag: 'pprof-addr',
    form: 'value',
    schema: z.string().optional(),
    describe: 'No effect, as --enable-pprof.',
    accepts: 'anything',
  },
} satisfies OptionTable;

/** The name is Reloader's own, so that an old and a new install in one namespace never act at once. */
const reloaderLeaseName = 'stakater-reloader-lock';

export function defaultLeaseName({ enableHa }: { readonly enableHa: boolean }): string {
  return enableHa ? reloaderLeaseName : 'reroll';
}

/** What was asked for and does nothing, for the log. */
export function remarksOf({
  syncAfterRestart,
  enablePprof,
  pprofAddr,
}: OptionValues<typeof reloaderOptionTable>): readonly string[] {
  return [
    ...(syncAfterRestart ? ['--sync-after-restart has no effect: what changed while down is always found'] : []),
    ...(enablePprof || pprofAddr !== undefined
      ? ['--enable-pprof and --pprof-addr have no effect: /metrics tells of memory, CPU and the event loop']
      : []),
  ];
}
