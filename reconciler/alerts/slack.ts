import { jsonPost, type AlertSink } from './sink';

/** @see https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slack: AlertSink = (text) => jsonPost({ attachments: [{ text, color: 'good', author_name: 'Reloader' }] });
