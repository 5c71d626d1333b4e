import { createHash } from 'node:crypto';

/** `throws`: an undocumented error, or a promise of the target that does not hold. */
export type FindingKind = 'throws' | 'slow' | 'hangs' | 'keeps' | 'exhausts' | 'pollutes';

/** An input that makes a target misbehave. */
export interface Finding {
  readonly kind: FindingKind;
  /** One line. */
  readonly what: string;
  readonly input: Buffer;
}

/** Whether two inputs found the same bug, which is reported only once. */
export function isSameFinding(left: Finding, right: Finding): boolean {
  return left.kind === right.kind && withoutFigures(left.what) === withoutFigures(right.what);
}

/** The name of the file in which its input is saved. */
export function findingName(target: string, { kind, input }: Finding): string {
  return `${target}-${kind}-${createHash('sha256').update(input).digest('hex').slice(0, 8)}`;
}

/** The error, and the function that threw it. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `something that is no error: ${String(thrown)}`;
  const frame = /^\s+at (?:async )?(?:new )?([\w.#<>[\] ]+) \(/m.exec(thrown.stack ?? '')?.[1];
  const message = thrown.message.split('\n', 1)[0]?.slice(0, 200) ?? '';
  return `${thrown.name}: ${message}${frame === undefined ? '' : ` (in ${frame})`}`;
}

function withoutFigures(text: string): string {
  // Ignores numbers and what is quoted from the input.
  return text.replace(/\d+/g, '0').replace(/"[^"]*"/g, '""');
}
