import * as z from 'zod';
import { switchRow, httpUrl, httpUrlAccepts } from '../../shared/runtime/options/option-schemas';
import type { OptionTable, OptionValues } from '../../shared/runtime/options/option-table';
import { alertSinks } from './alert-formatters';

const trimmed = z.string().transform((text) => text.trim());

/** Reloader has these options only as environment variables. */
export const alertOptionTable = {
  alertOnReload: { ...switchRow('alert-on-reload', 'Send an alert for each restart.'), fallbackEnv: 'ALERT_ON_RELOAD' },
  alertSink: {
    flag: 'alert-sink',
    fallbackEnv: 'ALERT_SINK',
    schema: trimmed.transform((text) => text.toLowerCase()),
    default: 'raw',
    describe: 'The kind of receiver of alerts. An unknown name causes a warning and gets plain text.',
    accepts: Object.keys(alertSinks).join(', '),
  },
  alertWebhookUrl: {
    flag: 'alert-webhook-url',
    fallbackEnv: 'ALERT_WEBHOOK_URL',
    schema: httpUrl.optional(),
    confidential: true,
    describe: 'URL to which alerts are posted; best set as a variable from a Secret.',
    accepts: httpUrlAccepts,
  },
  alertWebhookProxy: {
    flag: 'alert-webhook-proxy',
    fallbackEnv: 'ALERT_WEBHOOK_PROXY',
    schema: httpUrl.optional(),
    confidential: true,
    describe: 'Proxy for alerts. If unset, the connection is direct, whatever HTTP_PROXY says.',
    accepts: httpUrlAccepts,
  },
  alertAdditionalInfo: {
    flag: 'alert-additional-info',
    fallbackEnv: 'ALERT_ADDITIONAL_INFO',
    schema: trimmed.optional(),
    describe: 'Text before each alert, such as the name of the cluster.',
    accepts: 'any text',
  },
} satisfies OptionTable;

export type AlertOptions = OptionValues<typeof alertOptionTable>;
