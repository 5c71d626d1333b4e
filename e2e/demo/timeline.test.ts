import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatRow, seconds, Timeline } from './timeline';

const plain = { atMs: 3_214, label: 'restarted', text: 'Deployment web', tone: 'plain' } as const;
const escape = '\u001b[';

function recorded(colour: boolean) {
  const written: string[] = [];
  let nowMs = 10_000;
  const timeline = new Timeline({ write: (text) => void written.push(text), colour, nowMs: () => nowMs });
  return { timeline, text: () => written.join(''), advance: (ms: number) => void (nowMs += ms) };
}

describe('a row of the timeline', () => {
  it('shows seconds since the start, a label and a text', () => {
    expect(formatRow(plain, false)).toBe('   3.21 s  restarted   Deployment web');
  });

  it('continues a long text under the text', () => {
    const lines = formatRow({ ...plain, text: 'word '.repeat(40).trim() }, false).split('\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.slice(1).every((line) => /^ {23}word/.test(line))).toBe(true);
  });

  it('is never wider than 100 columns, and loses no word', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,70}$/), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(words, (list) => {
        const row = formatRow({ ...plain, text: list.join(' ') }, false);
        expect(row.split('\n').every((line) => line.length <= 100)).toBe(true);
        expect(row.split(/\s+/).slice(-list.length)).toEqual(list);
      }),
    );
  });

  it('keeps a word whole that is longer than a line: a path is to be copied', () => {
    const path = `/tmp/${'x'.repeat(200)}`;
    expect(formatRow({ ...plain, text: `see ${path} there` }, false)).toContain(path);
  });

  it('has colours only where they are asked for', () => {
    expect(formatRow(plain, false)).not.toContain(escape);
    expect(formatRow({ ...plain, tone: 'bad' }, true)).toContain(escape);
  });
});

describe('a timeline', () => {
  it('counts from its own start, and tells of the past where it is told when', () => {
    const { timeline, text, advance } = recorded(false);
    advance(1_500);
    timeline.row('now', 'x');
    timeline.row('then', 'y', { atMs: 10_250 });
    expect(text()).toBe('   1.50 s  now         x\n   0.25 s  then        y\n');
  });

  it('has no colours anywhere without a terminal', () => {
    const { timeline, text } = recorded(false);
    timeline.heading('1. Title', 'About it.');
    timeline.row('label', 'text', { tone: 'bad' });
    timeline.block(['a command']);
    timeline.close('1 passed, 0 failed', 'good');
    expect(text()).not.toContain(escape);
    expect(text().trimEnd().split('\n').at(-1)).toBe('1 passed, 0 failed');
  });
});

describe('seconds', () => {
  it.each([
    [0, '0.00 s'],
    [521, '0.52 s'],
    [-3, '0.00 s'],
  ])('%d ms are %s', (ms, text) => expect(seconds(ms)).toBe(text));
});
