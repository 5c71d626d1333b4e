import type { AlertSink } from './sink';

/** Plain text, in which asterisks would mean nothing: also those of the additional information go, as in Reloader. */
export const raw: AlertSink = (text) => ({ contentType: 'text/plain', body: Buffer.from(text.replaceAll('*', '')) });
