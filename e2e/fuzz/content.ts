import { TomlError } from 'smol-toml';
import { contentFaults, type LoadedSchema } from '../../shared/domain/content-check/content-faults';
import { type ContentParser, NestingError } from '../../shared/domain/content-check/document-node';
import { TimeLimitError, withinTime } from '../../webhook/plugins/time-limit';
import { promise, requireFitToShow } from './target';

/** After so long the webhook cuts a parser off, and the key is not checked. */
const limitMs = 200;

/** What a check may cost, cut off or not. */
export const contentMaxMs = limitMs + 100;

/** Checks the text of one key as admission does, and what is told of it. */
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

/** Undefined for what is too much for a parser: too deep, too long, or a limit of the library. The webhook says just that. */
export function cutOff<T>(work: () => T): T | undefined {
  try {
    return withinTime(limitMs, work);
  } catch (thrown) {
    if (tooMuch.some((kind) => thrown instanceof kind)) return undefined;
    throw thrown;
  }
}
