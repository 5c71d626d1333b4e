/** Reads something at most once, however many ask. */
export function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return async () => await (reading ??= read());
}
