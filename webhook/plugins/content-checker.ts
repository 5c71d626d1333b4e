import type { CheckSettings, SchemaReference } from '../../shared/domain/content-check/check-settings';
import { contentFaults, type LoadedSchema } from '../../shared/domain/content-check/content-faults';
import { formatOf, type ContentFormat } from '../../shared/domain/content-check/content-format';
import { NestingError } from '../../shared/domain/content-check/document-node';
import { sleep, type Clock } from '../../shared/runtime/clock';
import type { CheckedContent } from './checked-content';
import type { UncheckedReason } from '../metrics';
import { SchemaReadError, type SchemaReader } from './schema-reader';
import { TimeLimitError, withinTime, type TimeLimit } from '../../shared/runtime/time-limit';

/** A write of a source to check. */
export interface CheckedWrite {
  readonly namespace: string;
  /** The source in messages: `ConfigMap shop/app`. */
  readonly source: string;
  readonly after: CheckedContent;
  /** Undefined for a CREATE. */
  readonly before: CheckedContent | undefined;
}

/** A fault, as a line that says where and why. */
export interface Finding {
  readonly line: string;
  /**
   * The fault was there before, and this write did not touch it. It does not deny, so that keys can be fixed one by
   * one.
   */
  readonly isOld: boolean;
}

/** Something that could not be checked, and so does not deny. */
export interface Unchecked {
  readonly line: string;
  readonly reason: UncheckedReason;
  /** The error, for the log. */
  readonly cause?: unknown;
}

export interface CheckReport {
  readonly findings: readonly Finding[];
  readonly unchecked: readonly Unchecked[];
}

/** The share of the time that reading schemas may take. The rest is for parsing. */
const schemaShare = 0.4;

/** The longest time for which a parser may hold up other reviews. */
const maxParseMs = 200;

/** Runs the checks of a write key by key, so that other reviews can run in between. */
export class ContentChecker {
  readonly #clock: Clock;
  readonly #schemas: SchemaReader;
  readonly #withinTime: TimeLimit;

  /** `limit` stops a parser. It measures real time, because nothing else can stop one. */
  constructor(clock: Clock, schemas: SchemaReader, limit: TimeLimit = withinTime) {
    this.#clock = clock;
    this.#schemas = schemas;
    this.#withinTime = limit;
  }

  /** Settles within `withinMs`. Keys that have not been checked by then are reported as unchecked, in one line. */
  async check(write: CheckedWrite, settings: CheckSettings, withinMs: number): Promise<CheckReport> {
    const untilMs = this.#clock.monotonicMs() + withinMs;
    const keys = keysToCheck(write);
    const read = await this.#read(write.namespace, schemasFor(settings, keys), withinMs * schemaShare);
    const findings: Finding[] = [...wholeFindings(write, settings)];
    const unchecked: Unchecked[] = [...read.unchecked];
    for (const [index, key] of keys.entries()) {
      await sleep(this.#clock, 0);
      if (this.#clock.monotonicMs() >= untilMs) {
        // There may be thousands, and the review has been answered: they do not get a turn or a line each.
        unchecked.push(outOfTime(key, keys.length - index - 1));
        break;
      }
      const schemas = settings.schemas.flatMap((reference) =>
        isFor(reference, key.name) ? (read.schemas.get(reference) ?? []) : [],
      );
      const result = await this.#checkKey(key, schemas, untilMs);
      findings.push(...result.faults.map((line) => ({ line, isOld: key.isOld })));
      unchecked.push(...result.unchecked);
    }
    return { findings, unchecked };
  }

  async #read(namespace: string, references: readonly SchemaReference[], timeoutMs: number) {
    const schemas = new Map<SchemaReference, LoadedSchema>();
    const unchecked: Unchecked[] = [];
    await Promise.all(
      references.map(async (reference) => {
        try {
          schemas.set(reference, await this.#schemas.read(namespace, reference, timeoutMs));
        } catch (thrown) {
          if (!(thrown instanceof SchemaReadError)) throw thrown;
          const { message, reason, cause } = thrown;
          unchecked.push({ line: `not checked with a schema: ${message}`, reason, cause });
        }
      }),
    );
    return { schemas, unchecked };
  }

  async #checkKey({ name, bytes, format }: KeyToCheck, schemas: readonly LoadedSchema[], untilMs: number) {
    const isNot = (why: string, reason: UncheckedReason) => ({
      faults: [],
      unchecked: [{ line: `${name} is not checked: ${why}`, reason }],
    });
    if (bytes.length > format.maxLength) return isNot(`it has more than ${format.maxLength} bytes`, 'too_large');
    try {
      const parse = await format.load();
      const text = bytes.toString('utf8');
      const limitMs = Math.min(maxParseMs, untilMs - this.#clock.monotonicMs());
      const { faults, unusable } = this.#withinTime(limitMs, () => contentFaults(name, text, parse, schemas));
      const unchecked = unusable.map((why): Unchecked => ({
        line: `${name} is not checked with a schema: ${why}`,
        reason: 'schema_unreadable',
      }));
      return { faults, unchecked };
    } catch (thrown) {
      // Other errors may quote the content, so their messages are not shown.
      if (thrown instanceof TimeLimitError) return isNot('it takes too long', 'deadline');
      if (thrown instanceof NestingError) return isNot(`it is ${thrown.message}`, 'too_large');
      return isNot('its parser failed', 'crash');
    }
  }
}

interface KeyToCheck {
  readonly name: string;
  readonly bytes: Buffer;
  readonly format: ContentFormat;
  readonly isOld: boolean;
}

function outOfTime({ name }: KeyToCheck, others: number): Unchecked {
  const subject = others === 0 ? `${name} is` : `${name} and ${others} more keys are`;
  return { line: `${subject} not checked: it takes too long`, reason: 'deadline' };
}

/** Changed keys come first, because time may run out. */
function keysToCheck({ after, before }: CheckedWrite): readonly KeyToCheck[] {
  return [...after.texts]
    .flatMap(([name, bytes]) => {
      const format = formatOf(name);
      return format ? [{ name, bytes, format, isOld: before?.texts.get(name)?.equals(bytes) === true }] : [];
    })
    .sort((left, right) => Number(left.isOld) - Number(right.isOld) || (left.name < right.name ? -1 : 1));
}

function schemasFor({ schemas }: CheckSettings, keys: readonly KeyToCheck[]): readonly SchemaReference[] {
  return schemas.filter((reference) => keys.some(({ name }) => isFor(reference, name)));
}

function isFor({ key }: SchemaReference, name: string): boolean {
  return key === undefined || key === name;
}

/** Findings about the source as a whole. */
function* wholeFindings({ after, before }: CheckedWrite, settings: CheckSettings): Generator<Finding> {
  for (const key of settings.requiredKeys) {
    if (!after.keys.has(key)) yield { line: `the key ${key} is missing`, isOld: before?.keys.has(key) === false };
  }
  const { maxBytes = Infinity } = settings;
  if (after.bytes > maxBytes) {
    const isOld = before !== undefined && before.bytes > maxBytes && after.bytes <= before.bytes;
    yield { line: `the content has ${after.bytes} bytes, the limit is ${maxBytes}`, isOld };
  }
}
