import { jsonPost, type AlertSink } from './sink';

/** Incoming webhooks and Workflows of Microsoft Teams. */
export const teams: AlertSink = (text) => jsonPost({ text });
