/** Cuts at a character's boundary: half of a character is no UTF-8, and who receives it would refuse the whole. */
export function cutToBytes(text: string, maxBytes: number): string {
  // A character beyond the room suffices to know that it is too long: the text may be a megabyte.
  const bytes = Buffer.from(text.slice(0, maxBytes + 1), 'utf8');
  if (bytes.length <= maxBytes) return text;
  const ellipsis = '…';
  let end = maxBytes - Buffer.byteLength(ellipsis);
  // Bytes 10xxxxxx continue a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + ellipsis;
}
