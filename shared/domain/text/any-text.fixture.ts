import fc from 'fast-check';

/**
 * Any character but lone surrogates, like the unit `binary` of fast-check. Building that unit takes each process more than
 * a second.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));

export const anyText = fc.string({ unit: anyCharacter });
