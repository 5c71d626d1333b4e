/**
 * Makes untrusted text inert for receivers of any kind: a word that begins with `@` may mention a whole channel, and an
 * address may become a link. The characters that cause this are replaced by their fullwidth forms, which look the same.
 */
export function inert(foreign: string): string {
  return foreign.replaceAll(/(?<![\p{L}\p{N}._+-])@|:(?=\/\/)/gu, fullwidth);
}

/** Like `inert`; additionally replaces `markup` that the receiver's language cannot escape. */
export function inertMarkup(foreign: string, markup: RegExp): string {
  return inert(foreign).replaceAll(markup, fullwidth);
}

/** Escapes the three characters that begin or end a tag in Slack and Teams. */
export function escapeEntities(foreign: string): string {
  return foreign.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The fullwidth form of an ASCII character. */
function fullwidth(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 0xfee0);
}
