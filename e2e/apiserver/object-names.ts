import type { Random } from '../../shared/runtime/random';

/** No vowels and no digits that look like vowels, so that names do not spell words. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxBaseLength = 63 - suffixLength;

/** A name generated from metadata.generateName; empty if that is not set. */
export function generatedName(random: Random, base: string | undefined): string {
  return base === undefined || base === ''
    ? ''
    : `${base.slice(0, maxBaseLength)}${randomSuffix(random, suffixLength)}`;
}

function randomSuffix(random: Random, length: number): string {
  return Array.from({ length }, () => alphabet[Math.floor(random.float() * alphabet.length)]).join('');
}

/** Hashes a text into characters of that alphabet, as ReplicaSets are named after their pod template. */
export function safeHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return String(hash).replace(/\d/g, (digit) => alphabet[Number(digit)] ?? '');
}
