import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { KubeConfig, User } from '@kubernetes/client-node';
import { fieldAt, listOf, objectOf, textOf, textsOf, type JsonObject } from '../../domain/kubernetes/json-value';

/** A user as the library reads it, and with the fields that it does not know. */
interface WholeUser extends User {
  readonly written?: { readonly fields: JsonObject; readonly folder: string };
}

/** Keeps all fields of the users of a file. Paths in it start from its folder. */
export function keepWholeUsers(config: KubeConfig, content: unknown, folder: string): void {
  const written = listOf(fieldAt(content, ['users']));
  config.users = config.users.map((user, index): WholeUser => {
    return { ...user, written: { fields: objectOf(fieldAt(written[index], ['user'])), folder } };
  });
}

/** What kubectl sends for fields of a user that the library does not know. @throws if the file of a token cannot be read */
export function headersOfUser(user: WholeUser | null): Readonly<Record<string, string>> {
  const { fields = {}, folder = '' } = user?.written ?? {};
  const headers: Record<string, string> = {};
  const tokenFile = textOf(fields['tokenFile']);
  // It wins over a token beside it.
  if (tokenFile !== undefined) {
    headers['authorization'] = `Bearer ${readFileSync(resolve(folder, tokenFile), 'utf8').trim()}`;
  }
  const uid = textOf(fields['as-uid']);
  if (uid !== undefined) headers['impersonate-uid'] = uid;
  const groups = textsOf(fields['as-groups']);
  if (groups.length > 0) headers['impersonate-group'] = groups.join('\n');
  for (const [key, values] of Object.entries(objectOf(fields['as-user-extra']))) {
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = textsOf(values).join('\n');
  }
  return headers;
}
