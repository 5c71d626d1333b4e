import { lookalike } from './markup';
import { jsonPost, type AlertFormatter } from './alert-formatter';

/** @see https://developers.google.com/workspace/chat/quickstart/webhooks */
export const googleChat: AlertFormatter = {
  // `<users/all>` calls everybody, `<address|text>` is a link, and its language has no escapes.
  escape: (foreign) => lookalike(foreign, /[<>|*~`]/g),
  post: (text) => jsonPost({ text }),
};
