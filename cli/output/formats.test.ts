import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { formatted, type FormattedAnswer } from './formats';

const answer = (message: string): FormattedAnswer => ({
  text: (wide) => (wide ? 'wide\n' : 'text\n'),
  report: { message, list: ['plain'] },
  names: ['deployment/web', `deployment/${message}`],
});

it('writes text, wide text or names', async () => {
  expect(await formatted('text', answer('x'))).toBe('text\n');
  expect(await formatted('wide', answer('x'))).toBe('wide\n');
  expect(await formatted('name', answer('\u001b[31m'))).toBe('deployment/web\ndeployment/\\u001b[31m\n');
});

describe.each([
  ['json', '{\n  "message": "plain text",\n  "list": [\n    "plain"\n  ]\n}\n'],
  ['yaml', 'message: plain text\nlist:\n  - plain\n'],
] as const)('-o %s', (output, plain) => {
  it('is on several lines', async () => expect(await formatted(output, answer('plain text'))).toBe(plain));

  it.each([
    ['an escape sequence', '\u001b[31mred'],
    ['the one-byte form of its beginning', '\u009b31mred'],
    ['a change of direction', 'a\u202eb'],
    ['a separator of lines', 'a\u2028b'],
    ['a tag', 'a\u{e0041}b'],
    ['several lines', 'a\nb: c\n'],
  ])('escapes %s, and parses to the same', async (_what, message) => {
    const written = await formatted(output, answer(message));
    expect(written).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e\u{e0041}]/u);
    expect(parse(written)).toEqual({ message, list: ['plain'] });
  });
});

it('writes YAML that parsers in Go read, too: they know no escapes of surrogates', async () => {
  expect(await formatted('yaml', answer('a\u{e0041}b 🚀'))).toBe('message: "a\\U000e0041b 🚀"\nlist:\n  - plain\n');
  const typed = String.raw`a\udb40\udc41b`;
  expect(parse(await formatted('yaml', answer(`${typed}\u{e0041}`)))).toMatchObject({ message: `${typed}\u{e0041}` });
});

it.each(['no', 'on', 'y', '12:30', '1_000', '2026-01-01T12:00:00.000Z'])(
  'puts %j into quotes in YAML: to parsers of YAML 1.1 it is no text without them',
  async (text) => {
    expect(await formatted('yaml', answer(text))).toBe(`message: "${text}"\nlist:\n  - plain\n`);
  },
);
