import type { Post } from '../../shared/outbound/post-transport';

/** A kind of receiver of alerts. */
export interface AlertFormatter {
  /**
   * Escapes untrusted text, such as a user name, so that the receiver only shows it: it formats nothing, mentions
   * nobody and links nowhere. The text is already printable.
   */
  escape(foreign: string): string;
  /** The request for a message that has asterisks around its names. */
  post(text: string): Post;
}

function jsonPost(value: object): Post {
  return { contentType: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}

/** Slack and Markdown make a link of `www.a.example`, without a scheme. `www.conf` is the name of a file. */
const wwwDot = /(?<=(?<![\p{L}\p{N}])www\d{0,3})\.(?=[^\s.]+\.)/giu;

/**
 * Makes untrusted text inert for receivers of any kind: a word that begins with `@` may mention a whole channel, an
 * address may become a link, and underscores around a word may format it, unless none ends it. The characters that cause
 * this are replaced by their fullwidth forms, which look the same. Only a letter or digit keeps an `@` from beginning a
 * word: for Mattermost, `-@channel` and `a.@channel` mention the channel too.
 */
function inert(foreign: string): string {
  return foreign
    .replaceAll(/(?<![\p{L}\p{N}])@|:(?=\/\/)|_(?=_*(?![\p{L}\p{N}_]))/gu, fullwidth)
    .replaceAll(wwwDot, fullwidth);
}

/** Like `inert`; additionally replaces `markup` that the receiver's language cannot escape. */
function inertMarkup(foreign: string, markup: RegExp): string {
  return inert(foreign).replaceAll(markup, fullwidth);
}

/** Escapes the three characters that begin or end a tag in Slack and Teams. */
function escapeEntities(foreign: string): string {
  return foreign.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function fullwidth(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 0xfee0);
}

/**
 * Plain text, in which asterisks have no meaning. Those in the additional information are removed too, as in Reloader.
 */
export const raw: AlertFormatter = {
  // Plain text has no markup, but it may be relayed to a receiver that has.
  escape: (foreign) => inertMarkup(foreign, /[<>&|~`[\]]/g),
  post: (text) => ({ contentType: 'text/plain', body: Buffer.from(text.replaceAll('*', '')) }),
};

/** @see https://developers.google.com/workspace/chat/quickstart/webhooks */
const googleChat: AlertFormatter = {
  // `<users/all>` mentions everybody, `<address|text>` is a link, and the markup has no escapes.
  escape: (foreign) => inertMarkup(foreign, /[<>|*~`]/g),
  post: (text) => jsonPost({ text }),
};

/** Incoming webhooks and Workflows of Microsoft Teams, which accept Markdown and some HTML. */
const teams: AlertFormatter = {
  escape: (foreign) => escapeEntities(inert(foreign).replaceAll(/[\\`*~|[\]]/g, String.raw`\$&`)),
  post: (text) => jsonPost({ text }),
};

/** @see https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
const slack: AlertFormatter = {
  // Mentions and links are between angle brackets. Mattermost accepts the same messages, with Markdown.
  escape: (foreign) => escapeEntities(inertMarkup(foreign, /[*~`[\]]/g)),
  post: (text) => jsonPost({ attachments: [{ text, color: 'good', author_name: 'Reloader' }] }),
};

/** Every kind of receiver, by its name in `ALERT_SINK`. */
export const alertSinks: Readonly<Record<string, AlertFormatter>> = {
  slack,
  teams,
  gchat: googleChat,
  raw,
  // In Reloader's documentation, but unknown to its code, which sends plain text.
  webhook: raw,
};

/** Undefined for an unknown name; Reloader then sends plain text. */
export function alertSink(name: string): AlertFormatter | undefined {
  return Object.hasOwn(alertSinks, name) ? alertSinks[name] : undefined;
}
