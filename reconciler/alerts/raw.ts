import { inertMarkup } from './markup';
import type { AlertFormatter } from './alert-formatter';

/**
 * Plain text, in which asterisks have no meaning. Those in the additional information are removed too, as in Reloader.
 */
export const raw: AlertFormatter = {
  // Plain text has no markup, but it may be relayed to a receiver that has.
  escape: (foreign) => inertMarkup(foreign, /[<>&|~`[\]]/g),
  post: (text) => ({ contentType: 'text/plain', body: Buffer.from(text.replaceAll('*', '')) }),
};
