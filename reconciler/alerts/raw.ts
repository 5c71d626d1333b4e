import { lookalike } from './markup';
import type { AlertFormatter } from './alert-formatter';

/** Plain text, in which asterisks would mean nothing: also those of the additional information go, as in Reloader. */
export const raw: AlertFormatter = {
  // Plain text has no markup, but where it is relayed to nobody knows.
  escape: (foreign) => lookalike(foreign, /[<>&|~`[\]]/g),
  post: (text) => ({ contentType: 'text/plain', body: Buffer.from(text.replaceAll('*', '')) }),
};
