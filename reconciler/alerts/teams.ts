import { entities, inert } from './markup';
import { jsonPost, type AlertSink } from './sink';

/** Incoming webhooks and Workflows of Microsoft Teams, which take Markdown and some HTML. */
export const teams: AlertSink = {
  escape: (foreign) => entities(inert(foreign).replaceAll(/[\\`*~|[\]]/g, String.raw`\$&`)),
  post: (text) => jsonPost({ text }),
};
