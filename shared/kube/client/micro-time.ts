/** Formats a time as `metav1.MicroTime`: with six digits after the second, which older servers require. */
export function microTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('Z', '000Z');
}
