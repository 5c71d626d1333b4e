import { jsonPost, type AlertSink } from './sink';

/** @see https://developers.google.com/workspace/chat/quickstart/webhooks */
export const googleChat: AlertSink = (text) => jsonPost({ text });
