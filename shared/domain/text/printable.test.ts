import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from './any-text.fixture';
import { printable } from './printable';

const unfit = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

/** Any text from outside: any characters, invisible ones more often than by chance, and lone surrogates. */
const foreign = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 5 }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom('\n', '\u001b[2J', '\u202e', '\u200b', '\u2028', '\u{e0041}', '\ufeff', '\ud800', '\udc00', '\\'),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

describe('printable', () => {
  it.each([
    ['a line break', 'a\nb', String.raw`a\nb`],
    ['CR and tab', '\r\t', String.raw`\r\t`],
    ['a terminal escape', 'a\n\u001b[2J[forged]', String.raw`a\n\u001b[2J[forged]`],
    ['NUL, DEL and a C1 control', '\u0000\u007f\u009b', String.raw`\u0000\u007f\u009b`],
    ['separators of lines and paragraphs', '\u2028\u2029', String.raw`\u2028\u2029`],
    ['bidi embeddings and overrides', '\u202a\u202e', String.raw`\u202a\u202e`],
    ['bidi isolates', '\u2066\u2069', String.raw`\u2066\u2069`],
    ['bidi marks', '\u200e\u200f\u061c', String.raw`\u200e\u200f\u061c`],
    ['zero-width characters', '\u200b\u200c\u200d\ufeff', String.raw`\u200b\u200c\u200d\ufeff`],
    ['word joiners and what is beside them', '\u2060\u2064\u206f', String.raw`\u2060\u2064\u206f`],
    ['a soft hyphen and a Hangul filler', '\u00ad\u3164', String.raw`\u00ad\u3164`],
    ['interlinear annotations', '\ufff9\ufffb', String.raw`\ufff9\ufffb`],
    ['variation selectors', '\ufe0f\u{e0100}', String.raw`\ufe0f\udb40\udd00`],
    ['tags', '\u{e0001}\u{e0041}\u{e007f}', String.raw`\udb40\udc01\udb40\udc41\udb40\udc7f`],
    ['lone surrogates', 'a\ud83db\ude00', String.raw`a\ud83db\ude00`],
  ])('escapes %s', (_name, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it.each(['', 'system:serviceaccount:shop:ci', 'größe 設定 Ελλάδα हिन्दी عربي', '😀', 'a "b" \\ <c> `d`', '…'])(
    'leaves %j unchanged',
    (text) => {
      expect(printable(text)).toBe(text);
    },
  );

  it('marks a cut text', () => {
    expect(printable('abcdefghij', 10)).toBe('abcdefghij');
    expect(printable('abcdefghijk', 10)).toBe('abcdefg…');
    expect(printable('\u202e'.repeat(3), 10)).toBe(String.raw`\u202e\…`);
  });

  it('escapes only the beginning of a text of megabytes', () => {
    const replace = jest.spyOn(String.prototype, 'replace');
    try {
      expect(printable('\u202e'.repeat(1_000_000), 100)).toBe(`${String.raw`\u202e`.repeat(16)}\\…`);
      expect(replace.mock.contexts.map((text) => String(text).length)).toEqual([101]);
    } finally {
      replace.mockRestore();
    }
  });

  it('removes from any text what could forge a line, control a terminal or hide', () => {
    fc.assert(
      fc.property(foreign, (text) => {
        expect(printable(text)).not.toMatch(unfit);
      }),
    );
  });

  it('is idempotent, cut or not', () => {
    fc.assert(
      fc.property(foreign, fc.integer({ min: 3, max: 200 }), (text, maxBytes) => {
        const once = printable(text, maxBytes);
        expect(printable(once, maxBytes)).toBe(once);
        expect(printable(printable(text))).toBe(printable(text));
      }),
    );
  });

  it('stays within the limit and is a prefix of the full result', () => {
    fc.assert(
      fc.property(foreign, fc.integer({ min: 3, max: 200 }), (text, maxBytes) => {
        const shown = printable(text, maxBytes);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(maxBytes);
        const whole = printable(text);
        if (Buffer.byteLength(whole) <= maxBytes) expect(shown).toBe(whole);
        else expect(whole.startsWith(shown.slice(0, -1)) && shown.endsWith('…')).toBe(true);
      }),
    );
  });

  it('keeps the value of a JSON text', () => {
    fc.assert(
      fc.property(foreign, (text) => {
        expect(JSON.parse(printable(JSON.stringify({ [text]: text })))).toEqual({ [text]: text });
      }),
    );
  });
});
