import { inertMarkup } from './markup';
import { jsonPost, type AlertFormatter } from './alert-formatter';

/** @see https://developers.google.com/workspace/chat/quickstart/webhooks */
export const googleChat: AlertFormatter = {
  // `<users/all>` mentions everybody, `<address|text>` is a link, and the markup has no escapes.
  escape: (foreign) => inertMarkup(foreign, /[<>|*~`]/g),
  post: (text) => jsonPost({ text }),
};
