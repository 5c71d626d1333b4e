/** Time, network and storage of the browser: the only file of the page that touches them. */

/** The wall clock, in milliseconds. */
export function nowMs(): number {
  return Date.now();
}

/** Calls back again and again; the result ends that. */
export function every(intervalMs: number, callback: () => void): () => void {
  const handle = setInterval(callback, intervalMs);
  return () => clearInterval(handle);
}

/** Calls back once; the result takes it back. */
export function after(delayMs: number, callback: () => void): () => void {
  const handle = setTimeout(callback, delayMs);
  return () => clearTimeout(handle);
}

export async function get(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
  return await fetch(path, { headers, signal, cache: 'no-store', credentials: 'omit', redirect: 'error' });
}

const tokenName = 'reroll-token';
const tokenPattern = /^#token=([0-9a-f]{32})$/;

/**
 * The token of this page: from the fragment of the address, which is then taken out of it, so that no link and no
 * screenshot shows it. It is kept for other tabs of this address, and is worth nothing after the process has ended.
 */
export function takeToken(): string {
  const [, given] = tokenPattern.exec(location.hash) ?? [];
  if (given === undefined) return localStorage.getItem(tokenName) ?? '';
  localStorage.setItem(tokenName, given);
  history.replaceState(null, '', location.pathname + location.search);
  return given;
}
