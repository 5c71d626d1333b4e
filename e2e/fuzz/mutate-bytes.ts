import { edgeNumbers, edgeWords, type Mutator } from './mutator';

type Change = (input: Buffer, mutator: Mutator) => Buffer;

/** Makes one small change to the bytes, whatever their format. */
export function mutateBytes(input: Buffer, mutator: Mutator): Buffer {
  const change = mutator.draw.pickAny(input.length === 0 ? [insertWord, insertNoise] : changes) ?? insertNoise;
  return change(input, mutator).subarray(0, mutator.maxBytes);
}

/** A word of the dictionary, or one that is awkward for any parser. */
export function anyWord({ draw, dictionary }: Mutator): string {
  const known = draw.chance(0.7) ? draw.pickAny(dictionary) : undefined;
  return known ?? draw.pickAny(edgeWords) ?? '';
}

/** How often to repeat something: usually a few times, sometimes until the input is full. */
export function anyTimes({ draw, maxBytes }: Mutator, bytes: number): number {
  const most = Math.max(2, Math.floor(maxBytes / Math.max(1, bytes)));
  return draw.chance(0.04) ? most : Math.min(most, 2 ** draw.int(1, 6));
}

const flipBit: Change = (input, { draw }) => {
  const changed = Buffer.from(input);
  const at = draw.int(0, input.length - 1);
  changed[at] = (changed[at] ?? 0) ^ (1 << draw.int(0, 7));
  return changed;
};

const setByte: Change = (input, { draw }) => {
  const changed = Buffer.from(input);
  changed[draw.int(0, input.length - 1)] = draw.pickAny([0, 1, 0x7f, 0x80, 0xff, draw.int(0, 255)]) ?? 0;
  return changed;
};

const insertNoise: Change = (input, { draw }) =>
  replaced(input, draw.int(0, input.length), 0, draw.random.bytes(draw.int(1, 8)));

const insertWord: Change = (input, mutator) =>
  replaced(input, mutator.draw.int(0, input.length), 0, Buffer.from(anyWord(mutator)));

const overwriteWithWord: Change = (input, mutator) => {
  const [start, length] = part(input, mutator);
  return replaced(input, start, length, Buffer.from(anyWord(mutator)));
};

const remove: Change = (input, mutator) => replaced(input, ...part(input, mutator), Buffer.alloc(0));

const cutOff: Change = (input, { draw }) => input.subarray(0, draw.int(0, input.length - 1));

/** Repeats a piece. This finds code that is linear in one repetition but not in their number. */
const repeat: Change = (input, mutator) => {
  const [start, length] = part(input, mutator);
  const piece = input.subarray(start, start + length);
  const pieces = Array.from({ length: anyTimes(mutator, length) }, () => piece);
  return replaced(input, start, length, Buffer.concat(pieces).subarray(0, mutator.maxBytes));
};

/** Many numbered copies of a piece, joined by commas, lines or other separators. */
const enumerate: Change = (input, mutator) => {
  const [start, length] = part(input, mutator);
  const piece = input.toString('latin1', start, start + length);
  const separator = mutator.draw.pick([',', '\n', ' ', ';', '']);
  const pieces = Array.from({ length: anyTimes(mutator, length + 6) }, (_, index) => piece + index.toString(36));
  return replaced(input, start, length, Buffer.from(pieces.join(separator), 'latin1'));
};

const move: Change = (input, mutator) => {
  const [start, length] = part(input, mutator);
  const piece = Buffer.from(input.subarray(start, start + length));
  const rest = replaced(input, start, length, Buffer.alloc(0));
  return replaced(rest, mutator.draw.int(0, rest.length), 0, piece);
};

const splice: Change = (input, mutator) => {
  const other = mutator.other();
  if (other.length === 0) return input;
  const [start, length] = part(other, mutator);
  const [at, dropped] = part(input, mutator);
  return replaced(input, at, mutator.draw.chance(0.5) ? dropped : 0, other.subarray(start, start + length));
};

const changeNumber: Change = (input, { draw }) => {
  const numbers = [...input.toString('latin1').matchAll(/\d+/g)];
  const found = draw.pickAny(numbers);
  if (!found) return input;
  const number = Number(found[0]);
  const other = draw.pickAny([number + 1, number - 1, number * 2, ...edgeNumbers]) ?? 0;
  return replaced(input, found.index, found[0].length, Buffer.from(String(other)));
};

const changes: readonly Change[] = [
  ...[flipBit, setByte, insertNoise, insertWord, insertWord, overwriteWithWord, overwriteWithWord],
  ...[remove, remove, cutOff, repeat, enumerate, move, splice, splice, changeNumber],
];

/** Picks a word or any other piece of the input. */
function part(input: Buffer, { draw }: Mutator): readonly [start: number, length: number] {
  const at = draw.int(0, Math.max(0, input.length - 1));
  if (draw.chance(0.4)) {
    let [start, end] = [at, at];
    while (start > 0 && at - start < maxWordBytes && isWordByte(input[start - 1])) start--;
    while (end < input.length && end - at < maxWordBytes && isWordByte(input[end])) end++;
    if (end > start) return [start, end - start];
  }
  const most = input.length - at;
  return [at, Math.min(most, draw.chance(0.8) ? draw.int(1, 16) : draw.int(1, Math.max(1, most)))];
}

const maxWordBytes = 64;

function isWordByte(byte: number | undefined): boolean {
  return byte !== undefined && /\w/.test(String.fromCharCode(byte));
}

function replaced(input: Buffer, at: number, dropped: number, piece: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, at), piece, input.subarray(at + dropped)]);
}
