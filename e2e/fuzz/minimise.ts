/** Tries that one input is worth. */
const maxTries = 150;

/** A smaller input that is as good: pieces are left out, large ones first, as long as `isAsGood` holds. */
export async function minimise(input: Buffer, isAsGood: (candidate: Buffer) => Promise<boolean>): Promise<Buffer> {
  let best = input;
  let tries = 0;
  for (let piece = best.length >> 1; piece >= 1 && tries < maxTries; piece >>= 1) {
    for (let at = 0; at < best.length && tries < maxTries;) {
      const candidate = Buffer.concat([best.subarray(0, at), best.subarray(at + piece)]);
      tries += 1;
      if (await isAsGood(candidate)) best = candidate;
      else at += piece;
    }
  }
  return best;
}
