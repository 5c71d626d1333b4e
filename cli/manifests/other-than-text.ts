const booleans: ReadonlySet<string> = new Set(
  ['y', 'yes', 'on', 'true', 'n', 'no', 'off', 'false'].flatMap((word) => [
    word,
    word.toUpperCase(),
    word.charAt(0).toUpperCase() + word.slice(1),
  ]),
);

/** Whole numbers that are not too long for a number, and decimal ones. */
const numbers = [
  /^[-+]?0[xX][0-9a-fA-F]{1,15}$/,
  /^[-+]?0[oO]?[0-7]{1,20}$/,
  /^[-+]?0[bB][01]{1,62}$/,
  /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d{1,2})?$/,
];

/**
 * Whether kubectl and Helm take a text without quotes for a boolean or a number. They read YAML 1.1, where `yes` and `1_000` are
 * no text, as in 1.2. Not all such texts are known here.
 */
export function isOtherThanText(plain: string): boolean {
  if (booleans.has(plain)) return true;
  // In front of a digit or a sign alone: `_1` and `._5` are texts.
  if (!/^[-+\d]/.test(plain)) return false;
  const digits = plain.replaceAll('_', '');
  return numbers.some((form) => form.test(digits));
}
