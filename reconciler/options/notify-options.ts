import { httpUrl, httpUrlAccepts } from '../../shared/runtime/options/option-schemas';
import type { OptionTable } from '../../shared/runtime/options/option-table';

export const notifyOptionTable = {
  webhookUrl: {
    flag: 'webhook-url',
    form: 'value',
    schema: httpUrl.optional(),
    confidential: true,
    describe: 'Send a POST request to this URL for each change of a source, and restart nothing.',
    accepts: httpUrlAccepts,
  },
} satisfies OptionTable;
