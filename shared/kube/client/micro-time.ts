/** `metav1.MicroTime`: six digits behind the second, which older servers insist on. */
export function microTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('Z', '000Z');
}
