import { createHash } from 'node:crypto';

/** `throws`: an error that is not documented, or a promise that does not hold. */
export type FindingKind = 'throws' | 'slow' | 'hangs' | 'keeps' | 'exhausts' | 'pollutes';

/** An input that brings about what no input may. */
export interface Finding {
  readonly kind: FindingKind;
  /** One line. */
  readonly what: string;
  readonly input: Buffer;
}

/** The same mistake, found by another input, is not told again. */
export function isSameFinding(left: Finding, right: Finding): boolean {
  return left.kind === right.kind && withoutFigures(left.what) === withoutFigures(right.what);
}

/** Under which its input is saved. */
export function findingName(target: string, { kind, input }: Finding): string {
  return `${target}-${kind}-${createHash('sha256').update(input).digest('hex').slice(0, 8)}`;
}

/** The error, and the line of ours where it was thrown. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `something that is no error: ${String(thrown)}`;
  const frame = /^\s+at (?:async )?(?:new )?([\w.#<>[\] ]+) \(/m.exec(thrown.stack ?? '')?.[1];
  const message = thrown.message.split('\n', 1)[0]?.slice(0, 200) ?? '';
  return `${thrown.name}: ${message}${frame === undefined ? '' : ` (in ${frame})`}`;
}

function withoutFigures(text: string): string {
  // Neither numbers nor what is quoted of the input.
  return text.replace(/\d+/g, '0').replace(/"[^"]*"/g, '""');
}
