import { escapeEntities, inert } from './markup';
import { jsonPost, type AlertFormatter } from './alert-formatter';

/** Incoming webhooks and Workflows of Microsoft Teams, which accept Markdown and some HTML. */
export const teams: AlertFormatter = {
  escape: (foreign) => escapeEntities(inert(foreign).replaceAll(/[\\`*~|[\]]/g, String.raw`\$&`)),
  post: (text) => jsonPost({ text }),
};
