import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteQueue } from './byte-queue';
import { JsonLines } from './json-lines';
import { ProtobufFrames } from './protobuf-frames';

const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });

function* cut(body: Buffer, cuts: readonly number[]): Generator<Buffer> {
  for (let offset = 0, index = 0; offset < body.length; index++) {
    const size = cuts[index % cuts.length] ?? 1;
    yield body.subarray(offset, offset + size);
    offset += size;
  }
}

function framed(frame: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(frame.length);
  return Buffer.concat([length, frame]);
}

describe('JsonLines', () => {
  it('yields the lines of any stream, wherever it is cut', () => {
    const line = fc.string({ minLength: 1 }).filter((text) => !text.includes('\n'));
    fc.assert(
      fc.property(fc.array(line), sizes, (lines, cuts) => {
        const splitter = new JsonLines();
        const body = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const result = [...cut(body, cuts)].flatMap((chunk) => [...splitter.push(chunk)].map(String));
        splitter.end();
        expect(result).toEqual(lines);
      }),
    );
  });

  it('reports a stream that ended within a line', () => {
    const splitter = new JsonLines();
    expect([...splitter.push(Buffer.from('{}\n{"a'))]).toHaveLength(1);
    expect(() => splitter.end()).toThrow(/within a line/);
  });

  it('accepts the largest object that etcd stores, in JSON', () => {
    const line = JSON.stringify({ value: '\u0001'.repeat(1.5 * 1024 * 1024) });
    expect([...new JsonLines().push(Buffer.from(`${line}\n`))]).toHaveLength(1);
  });

  it('rejects a line beyond the limit', () => {
    const splitter = new JsonLines();
    expect(() => [...splitter.push(Buffer.alloc(17 * 1024 * 1024))]).toThrow(/limit/);
    expect(() => [...new JsonLines().push(Buffer.concat([Buffer.alloc(17 * 1024 * 1024), Buffer.from('\n')]))]).toThrow(
      /limit/,
    );
  });
});

describe('ProtobufFrames', () => {
  it('yields the frames of any stream, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 100 })), sizes, (frames, cuts) => {
        const splitter = new ProtobufFrames();
        const body = Buffer.concat(frames.map(framed));
        const result = [...cut(body, cuts)].flatMap((chunk) =>
          [...splitter.push(chunk)].map((frame) => Buffer.from(frame)),
        );
        splitter.end();
        expect(result).toEqual(frames.map((frame) => Buffer.from(frame)));
      }),
    );
  });

  it('reports a stream that ended within a frame', () => {
    const splitter = new ProtobufFrames();
    expect([...splitter.push(Buffer.from([0, 0, 0, 2, 1]))]).toEqual([]);
    expect(() => splitter.end()).toThrow(/within a frame/);
  });

  it('rejects a length beyond the limit before it waits for the bytes', () => {
    expect(() => [...new ProtobufFrames().push(Buffer.from([0x7f, 0, 0, 0]))]).toThrow(/limit/);
  });
});

describe('ByteQueue', () => {
  it('returns what was appended, in any pieces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 20 })),
        fc.array(fc.integer({ min: 0, max: 30 })),
        (parts, takes) => {
          const queue = new ByteQueue();
          for (const part of parts) queue.append(Buffer.from(part));
          const whole = Buffer.concat(parts);
          let offset = 0;
          for (const take of takes) {
            expect(queue.length).toBe(whole.length - offset);
            expect(Buffer.from(queue.peek(take))).toEqual(whole.subarray(offset, offset + take));
            offset += queue.discard(take);
          }
        },
      ),
    );
  });
});
