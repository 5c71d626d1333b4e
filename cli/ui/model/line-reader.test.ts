import { expect, it } from '@jest/globals';
import { LineReader } from './line-reader';

it('gives the same lines wherever the stream is cut', () => {
  const text = 'one\ntwo\n\nthree\nunfinished';
  for (let cut = 0; cut <= text.length; cut++) {
    const reader = new LineReader();
    expect([...reader.push(text.slice(0, cut)), ...reader.push(text.slice(cut))]).toEqual(['one', 'two', 'three']);
    expect(reader.push('\n')).toEqual(['unfinished']);
  }
});
