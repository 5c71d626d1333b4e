import { describe, expect, it } from '@jest/globals';
import { WaveFront } from './wave-front';

const users = [
  { key: 'last', wave: 10 },
  { key: 'b', wave: 0 },
  { key: 'first', wave: -1 },
  { key: 'a', wave: 0 },
];

describe('WaveFront', () => {
  it('tells the first user that is not done, by waves, and nobody of the last wave', () => {
    const front = new WaveFront(users);
    const done = new Set<string>();
    const first = (): string | undefined => front.first(({ key }) => done.has(key))?.key;
    expect(first()).toBe('first');
    done.add('first').add('a');
    expect(first()).toBe('b');
    done.add('b');
    expect(first()).toBeUndefined();
  });

  it('asks about each user that is done once, however often it is asked', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => ({ key: String(n), wave: n < 999 ? 0 : 1 }));
    const front = new WaveFront(many);
    let asked = 0;
    for (let step = 0; step < 1_000; step++) {
      front.first(({ key }) => {
        asked++;
        return Number(key) < step;
      });
    }
    expect(asked).toBeLessThan(2_500);
  });

  it('asks about nobody where all are of one wave', () => {
    const front = new WaveFront([{ key: 'a', wave: 3 }, { key: 'b', wave: 3 }]); // prettier-ignore
    expect(front.first(() => { throw new Error('asked'); })).toBeUndefined(); // prettier-ignore
  });
});
