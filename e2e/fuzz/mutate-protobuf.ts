import { bytesField, varint } from '../../shared/kube/wire/protobuf.fixture';
import { readVarint } from '../../shared/kube/wire/protobuf';
import { anyTimes, mutateBytes } from './mutate-bytes';
import { edgeNumbers, type Mutator } from './mutator';

/** The encoding does not say whether bytes are a message. Bytes that can be read as a message are treated as one. */
interface Field {
  readonly number: number;
  readonly value: number | Buffer | readonly Field[];
}

/**
 * Makes one change to a protobuf message and corrects all lengths around it. Undefined if the input is not a message,
 * or the result is too long.
 */
export function mutateProtobuf(input: Buffer, mutator: Mutator): Buffer | undefined {
  const magic = input.subarray(0, 4).equals(kubernetesMagic) ? 4 : 0;
  const fields = fieldsIn(input.subarray(magic), 0);
  if (!fields) return undefined;
  const changed = Buffer.concat([input.subarray(0, magic), encoded(changedFields(fields, mutator))]);
  return changed.length <= mutator.maxBytes ? changed : undefined;
}

const kubernetesMagic = Buffer.from('k8s\0', 'latin1');
const maxDepth = 12;

function changedFields(fields: readonly Field[], mutator: Mutator): readonly Field[] {
  const { draw } = mutator;
  const at = draw.int(0, fields.length - 1);
  const field = fields[at];
  if (!field) return fields;
  const { number, value } = field;
  // Mostly descend, because most of a message is further down.
  if (typeof value !== 'number' && !Buffer.isBuffer(value) && draw.chance(0.75)) {
    return fields.with(at, { number, value: changedFields(value, mutator) });
  }
  switch (draw.int(0, 6)) {
    case 0:
      return fields.toSpliced(at, 1);
    case 1:
      return fields.with(at, { number: draw.pickAny([1, 2, 3, 5, 8, 12, 17, 1 << 28]) ?? 1, value });
    case 2:
      return fields.with(at, { number, value: Math.abs(Math.trunc(draw.pickAny(edgeNumbers) ?? 0)) % 2 ** 60 });
    case 3: {
      const copies = Array.from({ length: anyTimes(mutator, encoded([field]).length) }, () => field);
      return fields.toSpliced(at, 0, ...copies);
    }
    case 4:
      return fields.toSpliced(at, 1).toSpliced(draw.int(0, fields.length - 1), 0, field);
    default: {
      const bytes = Buffer.isBuffer(value) ? value : typeof value === 'number' ? varint(value) : encoded(value);
      return fields.with(at, { number, value: mutateBytes(bytes, mutator) });
    }
  }
}

function encoded(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map(({ number, value }) => {
      if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)]);
      return bytesField(number, Buffer.isBuffer(value) ? value : encoded(value));
    }),
  );
}

function fieldsIn(bytes: Buffer, depth: number): readonly Field[] | undefined {
  if (bytes.length === 0 || depth > maxDepth) return undefined;
  const fields: Field[] = [];
  for (let offset = 0; offset < bytes.length;) {
    const tag = varintAt(bytes, offset);
    const found = tag && varintAt(bytes, tag.end);
    const number = Math.floor((tag?.value ?? 0) / 8);
    if (!tag || !found || number === 0) return undefined;
    switch (tag.value % 8) {
      case 0:
        fields.push({ number, value: found.value });
        offset = found.end;
        break;
      case 2: {
        offset = found.end + found.value;
        if (offset > bytes.length) return undefined;
        const content = bytes.subarray(found.end, offset);
        fields.push({ number, value: fieldsIn(content, depth + 1) ?? content });
        break;
      }
      default:
        return undefined;
    }
  }
  return fields;
}

function varintAt(bytes: Buffer, offset: number) {
  try {
    return readVarint(bytes, offset);
  } catch {
    return undefined;
  }
}
