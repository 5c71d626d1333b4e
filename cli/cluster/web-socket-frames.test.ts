import { describe, expect, it } from '@jest/globals';
import { acceptOf, clientFrame, FrameReader, opcodes } from './web-socket-frames';
import { serverFrame, unmasked } from './kube-server.fixture';

const mask = Buffer.from([1, 2, 3, 4]);

describe('frames', () => {
  it('accepts a key as in the example of RFC 6455', () => {
    expect(acceptOf('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
  });

  it.each([0, 1, 125, 126, 65_535, 65_536])('of a client are masked, and have their length: %p bytes', (length) => {
    const payload = Buffer.alloc(length, 'abc');
    const frame = clientFrame(opcodes.binary, payload, mask);
    expect(frame[0]).toBe(0x82);
    expect(frame[1]! & 0x80).toBe(0x80);
    expect(unmasked(frame).equals(payload)).toBe(true);
  });

  it('of a server are found wherever they are cut', () => {
    const sent = [
      serverFrame(2, Buffer.from('one')),
      serverFrame(2, Buffer.alloc(300, 'x'), false),
      serverFrame(0, Buffer.from('end')),
    ];
    const bytes = Buffer.concat(sent);
    for (let size = 1; size < 10; size++) {
      const reader = new FrameReader();
      const frames = [];
      for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
      expect(frames.map(({ opcode, isLast, payload }) => [opcode, isLast, payload.length])).toEqual([
        [2, true, 3],
        [2, false, 300],
        [0, true, 3],
      ]);
    }
  });

  it.each([
    ['a mask', [0x82, 0x81, 0, 0, 0, 0, 1]],
    ['an enormous length', [0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0]],
  ])('of a server with %s are refused', (_what, bytes) => {
    expect(() => [...new FrameReader().push(Buffer.from(bytes))]).toThrow();
  });
});
