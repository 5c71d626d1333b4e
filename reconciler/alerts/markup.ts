/**
 * Text of a stranger without what receivers of any kind act upon: a word that begins with `@` may call a whole channel,
 * and an address may become a link. The characters that make them so become their fullwidth forms, which read the same.
 */
export function inert(foreign: string): string {
  return foreign.replaceAll(/(?<![\p{L}\p{N}._+-])@|:(?=\/\/)/gu, fullwidth);
}

/** The same where `markup` has no escape in the receiver's language: it becomes fullwidth, too. */
export function lookalike(foreign: string, markup: RegExp): string {
  return inert(foreign).replaceAll(markup, fullwidth);
}

/** What Slack and Teams take for the three characters that begin or end a tag. */
export function entities(foreign: string): string {
  return foreign.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Of a character of ASCII. */
function fullwidth(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 0xfee0);
}
