/** A time of an answer, for people. @example '2026-11-25T22:00:00Z' */
export function withoutMs(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
