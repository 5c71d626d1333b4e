import fc from 'fast-check';

/** Any character: the unit `binary` of fast-check, which takes more than a second to be built in each process. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));

export const anyText = fc.string({ unit: anyCharacter });
