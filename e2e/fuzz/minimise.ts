/** The maximum number of candidates to try for one input. */
const maxTries = 150;

/** Returns a smaller input for which `isAsGood` still holds. Leaves out pieces, large ones first. */
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
