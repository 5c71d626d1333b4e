/**
 * Cuts a text to `maxBytes` bytes, at a character boundary: a receiver would reject the whole text for half a UTF-8
 * character.
 */
export function cutToBytes(text: string, maxBytes: number): string {
  // Nearly all texts are short. A character takes at most three bytes for each of its code units.
  if (text.length * 3 <= maxBytes) return text;
  // The text may be a megabyte, so at most one character more than fits is encoded.
  const bytes = Buffer.from(text.slice(0, maxBytes + 1), 'utf8');
  if (bytes.length <= maxBytes) return text;
  const ellipsis = '…';
  let end = maxBytes - Buffer.byteLength(ellipsis);
  // Bytes 10xxxxxx continue a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + ellipsis;
}
