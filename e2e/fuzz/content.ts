import { TomlError } from 'smol-toml';
import { contentFaults, type LoadedSchema } from '../../shared/domain/content-check/content-faults';
import { type ContentParser, NestingError } from '../../shared/domain/content-check/document-node';
import { TimeLimitError, withinTime } from '../../shared/runtime/time-limit';
import { promise, requireFitToShow } from './target';

/** The webhook stops a parser after this time and leaves the key unchecked. */
const limitMs = 200;

/** The time limit for a check, including one that is cut off. */
export const contentMaxMs = limitMs + 100;

/**
 * Checks the text of one key as admission does. Requires that each reported fault is fit to be shown and lies in the
 * text.
 */
export function checkContent(
  key: string,
  text: string,
  parse: ContentParser,
  schemas: readonly LoadedSchema[] = [],
): void {
  const checked = cutOff(() => ({ ...contentFaults(key, text, parse, schemas), parsed: parse(text) }));
  if (!checked) return;
  const { faults, unusable, parsed } = checked;
  for (const line of [...faults, ...unusable]) requireFitToShow(line, 'a fault');
  if (!parsed.fault) return;
  promise(faults.length === 1, 'a fault is told');
  promise(parsed.fault.offset >= 0 && parsed.fault.offset <= text.length, 'a fault is in the text');
}

const tooMuch = [TimeLimitError, NestingError, RangeError, TomlError];

/**
 * The result of `work`; undefined if the input is too much for a parser: too slow, too deep, or beyond a limit of the
 * library. The webhook then reports the key as unchecked.
 */
export function cutOff<T>(work: () => T): T | undefined {
  try {
    return withinTime(limitMs, work);
  } catch (thrown) {
    if (tooMuch.some((kind) => thrown instanceof kind)) return undefined;
    throw thrown;
  }
}
