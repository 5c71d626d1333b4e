import * as z from 'zod';
import {
  switchRow,
  httpUrl,
  httpUrlAccepts,
  namespaceName,
  nonEmpty,
} from '../../shared/runtime/options/option-schemas';
import type { OptionTable, OptionValues } from '../../shared/runtime/options/option-table';

/** Flags of Reloader that do less here or nothing. An install that passes them must start anyway. */
export const reloaderOptionTable = {
  enableHa: switchRow('enable-ha', "Use Reloader's lease instead of Reroll's own. Replicas always share one."),
  syncAfterRestart: switchRow('sync-after-restart', 'No effect: baselines show what changed while Reroll was down.'),
  enablePprof: switchRow('enable-pprof', 'No effect: Reroll is not a Go program.'),
  pprofAddr: {
    flag: 'pprof-addr',
    schema: z.string().optional(),
    describe: 'No effect, like --enable-pprof.',
    accepts: 'anything',
  },
} satisfies OptionTable;

/** Reloader's own lease name: an old and a new install in one namespace never act at once. */
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
      ? ['--sync-after-restart has no effect: baselines show what changed while Reroll was down']
      : []),
    ...(enablePprof || pprofAddr !== undefined
      ? ['--enable-pprof and --pprof-addr have no effect: /metrics reports memory, CPU and the event loop']
      : []),
  ];
}

/** Reloader has these options only as environment variables; its chart sets both. */
export const metaInfoOptionTable = {
  metaInfoNamespace: {
    flag: 'meta-info-namespace',
    fallbackEnv: 'RELOADER_NAMESPACE',
    schema: namespaceName.optional(),
    describe: 'Publish version and options as ConfigMap reloader-meta-info in this namespace; none: not published.',
    accepts: 'a namespace',
  },
  metaInfoDeployment: {
    flag: 'meta-info-deployment',
    fallbackEnv: 'RELOADER_DEPLOYMENT_NAME',
    schema: nonEmpty.optional(),
    describe: "Name of Reroll's own Deployment, for that ConfigMap.",
    accepts: 'the name of a Deployment',
  },
} satisfies OptionTable;

export const notifyOptionTable = {
  webhookUrl: {
    flag: 'webhook-url',
    schema: httpUrl.optional(),
    confidential: true,
    describe: 'Send a POST request to this URL for each change of a source, and restart nothing.',
    accepts: httpUrlAccepts,
  },
} satisfies OptionTable;
