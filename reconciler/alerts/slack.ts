import { escapeEntities, inertMarkup } from './markup';
import { jsonPost, type AlertFormatter } from './alert-formatter';

/** @see https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slack: AlertFormatter = {
  // Mentions and links are between angle brackets. Mattermost accepts the same messages, with Markdown.
  escape: (foreign) => escapeEntities(inertMarkup(foreign, /[*~`[\]]/g)),
  post: (text) => jsonPost({ attachments: [{ text, color: 'good', author_name: 'Reloader' }] }),
};
