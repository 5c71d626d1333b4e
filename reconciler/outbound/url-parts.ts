/** Host and port of a URL, for Node's requests. */
export function endpoint(url: URL): { readonly host: string; readonly port: number } {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port) };
}

/** Name and password of a URL as a header; empty if there are none. */
export function basicAuthorization(
  name: 'authorization' | 'proxy-authorization',
  { username, password }: URL,
): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return { [name]: `Basic ${credentials}` };
}

/** A lone percent sign stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    return text;
  }
}
