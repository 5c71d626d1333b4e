import * as z from 'zod';
import { goBool, goBoolAccepts } from '../../shared/runtime/options/option-schemas';
import type { OptionTable, OptionValues } from '../../shared/runtime/options/option-table';

/** Flags of Reloader that have less or no effect here. An install that passes them must start anyway. */
export const reloaderOptionTable = {
  enableHa: {
    flag: 'enable-ha',
    form: 'switch',
    schema: goBool,
    default: 'false',
    describe: "Use Reloader's lease instead of Reroll's own. Replicas always share one.",
    accepts: goBoolAccepts,
  },
  syncAfterRestart: {
    flag: 'sync-after-restart',
    form: 'switch',
    schema: goBool,
    default: 'false',
    describe: 'No effect: changes made while Reroll was down are always found.',
    accepts: goBoolAccepts,
  },
  enablePprof: {
    flag: 'enable-pprof',
    form: 'switch',
    schema: goBool,
    default: 'false',
    describe: 'No effect: Reroll is not a Go program.',
    accepts: goBoolAccepts,
  },
  pprofAddr: {
    flag: 'pprof-addr',
    form: 'value',
    schema: z.string().optional(),
    describe: 'No effect, like --enable-pprof.',
    accepts: 'anything',
  },
} satisfies OptionTable;

/** Reloader's own lease name, so that an old and a new install in one namespace never act at once. */
const reloaderLeaseName = 'stakater-reloader-lock';

export function defaultLeaseName({ enableHa }: { readonly enableHa: boolean }): string {
  return enableHa ? reloaderLeaseName : 'reroll';
}

/** Options that were set and have no effect, for the log. */
export function ineffectiveOptions({
  syncAfterRestart,
  enablePprof,
  pprofAddr,
}: OptionValues<typeof reloaderOptionTable>): readonly string[] {
  return [
    ...(syncAfterRestart
      ? ['--sync-after-restart has no effect: changes made while Reroll was down are always found']
      : []),
    ...(enablePprof || pprofAddr !== undefined
      ? ['--enable-pprof and --pprof-addr have no effect: /metrics reports memory, CPU and the event loop']
      : []),
  ];
}
