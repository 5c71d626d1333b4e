import { lookalike } from './markup';
import { jsonPost, type AlertSink } from './sink';

/** @see https://developers.google.com/workspace/chat/quickstart/webhooks */
export const googleChat: AlertSink = {
  // `<users/all>` calls everybody, `<address|text>` is a link, and its language has no escapes.
  escape: (foreign) => lookalike(foreign, /[<>|*~`]/g),
  post: (text) => jsonPost({ text }),
};
