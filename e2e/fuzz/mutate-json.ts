import { isObject } from '../../shared/domain/kubernetes/json-value';
import { anyTimes, anyWord } from './mutate-bytes';
import { edgeNumbers, type Mutator } from './mutator';

/** The last depth overflows the stack of code that walks a document recursively. */
const depths = [1, 10, 100, 20_000];

/**
 * Makes one change to a JSON document that keeps it valid. Undefined if the input is not JSON, or the change cannot be
 * made.
 */
export function mutateJson(input: Buffer, mutator: Mutator): Buffer | undefined {
  try {
    const document = JSON.parse(input.toString('utf8')) as unknown;
    const chosen = mutator.draw.int(0, sizeOf(document) - 1);
    const changed = Buffer.from(edited(document, { left: chosen }, (node) => changedNode(node, mutator)));
    // Cut off, it would no longer be JSON.
    return changed.length <= mutator.maxBytes ? changed : undefined;
  } catch {
    // Not JSON, or too deep to walk.
    return undefined;
  }
}

function sizeOf(node: unknown): number {
  if (Array.isArray(node)) return node.reduce((sum: number, item) => sum + sizeOf(item), 1);
  if (isObject(node)) return Object.values(node).reduce((sum: number, item) => sum + sizeOf(item), 1);
  return 1;
}

/**
 * The document as text, with the node changed that is reached after `left` others. Text can hold any key, `__proto__`
 * too.
 */
function edited(node: unknown, count: { left: number }, change: (node: unknown) => string): string {
  if (count.left-- === 0) return change(node);
  if (Array.isArray(node)) return `[${node.map((item) => edited(item, count, change)).join(',')}]`;
  if (isObject(node)) {
    const fields = Object.entries(node).map(([key, value]) => `${JSON.stringify(key)}:${edited(value, count, change)}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(node);
}

type Change = (node: unknown, mutator: Mutator) => string;

function changedNode(node: unknown, mutator: Mutator): string {
  const forType = Array.isArray(node) ? ofList : isObject(node) ? ofObject : typeof node === 'string' ? ofText : [];
  const change = mutator.draw.pickAny([...ofAny, ...forType, ...forType, ...forType]) ?? replace;
  return change(node, mutator);
}

const replace: Change = (_node, mutator) => {
  const { draw } = mutator;
  const number = JSON.stringify(draw.pickAny(edgeNumbers));
  return draw.pickAny([JSON.stringify(anyWord(mutator)), number, 'null', 'true', 'false', '[]', '{}', '""']) ?? 'null';
};

const wrap: Change = (node, { draw }) => {
  const depth = draw.pickAny(depths) ?? 1;
  const [open, close] = draw.chance(0.5) ? ['[', ']'] : [`{${JSON.stringify(draw.pickAny(['a', 'metadata']))}:`, '}'];
  return open.repeat(depth) + JSON.stringify(node) + close.repeat(depth);
};

/** Replaces the node with a node of another input, which may have what this one lacks. */
const graft: Change = (_node, { draw, other }) => {
  const document = JSON.parse(other().toString('utf8')) as unknown;
  let taken = 'null';
  edited(document, { left: draw.int(0, sizeOf(document) - 1) }, (node) => (taken = JSON.stringify(node)));
  return taken;
};

const ofAny: readonly Change[] = [replace, wrap, graft];

const addField: Change = (node, mutator) => {
  const { draw } = mutator;
  const value = draw.pickAny(['"true"', JSON.stringify(anyWord(mutator)), '{}', '[]', '1', 'null']) ?? 'null';
  return objectText([...fieldsOf(node), [anyKey(mutator), value]]);
};

const dropField: Change = (node, { draw }) => {
  const fields = fieldsOf(node);
  const dropped = draw.int(0, fields.length - 1);
  return objectText(fields.filter((_field, index) => index !== dropped));
};

const renameField: Change = (node, mutator) => {
  const fields = fieldsOf(node);
  const renamed = mutator.draw.int(0, fields.length - 1);
  return objectText(fields.map(([key, value], index) => [index === renamed ? anyKey(mutator) : key, value]));
};

/** Names that an object has although nobody set them. */
const inheritedKeys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'] as const;

function anyKey(mutator: Mutator): string {
  return mutator.draw.chance(0.1) ? mutator.draw.pick(['__proto__', ...inheritedKeys]) : anyWord(mutator);
}

/** Adds many copies of a field, each with its own name. */
const multiplyField: Change = (node, mutator) => {
  const fields = fieldsOf(node);
  const [key, value] = mutator.draw.pickAny(fields) ?? ['a', '""'];
  const times = anyTimes(mutator, key.length + value.length + 10);
  const copies = Array.from({ length: times }, (_, index) => [`${key}${index}`, numbered(value, index)] as const);
  return objectText([...fields, ...copies]);
};

/** Adds the top-level fields of another input that this node lacks. */
const complete: Change = (node, { other }) => {
  const more = fieldsOf(JSON.parse(other().toString('utf8')));
  return objectText([...more.filter(([key]) => !isObject(node) || !(key in node)), ...fieldsOf(node)]);
};

const ofObject: readonly Change[] = [addField, dropField, renameField, multiplyField, complete];

const multiplyItem: Change = (node, mutator) => {
  const items = itemsOf(node);
  const item = mutator.draw.pickAny(items) ?? '{}';
  const times = anyTimes(mutator, item.length + 5);
  return listText([...items, ...Array.from({ length: times }, (_, index) => numbered(item, index))]);
};

const dropItem: Change = (node, { draw }) => {
  const items = itemsOf(node);
  const dropped = draw.int(0, items.length - 1);
  return listText(items.filter((_item, index) => index !== dropped));
};

const addItem: Change = (node, mutator) => listText([...itemsOf(node), replace(undefined, mutator)]);

const swapItems: Change = (node) => listText(itemsOf(node).toReversed());

const ofList: readonly Change[] = [multiplyItem, dropItem, addItem, swapItems];

const lengthen: Change = (node, mutator) => {
  const piece = `${String(node)}${mutator.draw.pickAny(['', ',', '|', ' ', '/', '-']) ?? ''}`;
  return JSON.stringify(piece.repeat(anyTimes(mutator, piece.length)));
};

/** A long list in one string, with distinct elements. */
const enumerate: Change = (node, mutator) => {
  const separator = mutator.draw.pickAny([',', '|', ' ', '\n', '/']) ?? ',';
  const times = anyTimes(mutator, String(node).length + 6);
  return JSON.stringify(Array.from({ length: times }, (_, index) => `${String(node)}${index}`).join(separator));
};

const putIn: Change = (node, mutator) => {
  const text = String(node);
  const at = mutator.draw.int(0, text.length);
  return JSON.stringify(text.slice(0, at) + anyWord(mutator) + text.slice(mutator.draw.chance(0.5) ? at : at + 1));
};

const otherWord: Change = (_node, mutator) => JSON.stringify(anyWord(mutator));

const ofText: readonly Change[] = [otherWord, otherWord, otherWord, lengthen, enumerate, putIn];

function fieldsOf(node: unknown): readonly (readonly [key: string, value: string])[] {
  return isObject(node) ? Object.entries(node).map(([key, value]) => [key, JSON.stringify(value)] as const) : [];
}

function itemsOf(node: unknown): readonly string[] {
  return Array.isArray(node) ? node.map((item) => JSON.stringify(item)) : [];
}

function objectText(fields: readonly (readonly [key: string, value: string])[]): string {
  return `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

function listText(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}

/** Appends the number of a copy to its first name, id, key or uid, so that copies differ. */
function numbered(text: string, index: number): string {
  return text.replace(/"(name|id|key|uid)":"([^"\\]*)"/, `"$1":"$2${index}"`);
}
