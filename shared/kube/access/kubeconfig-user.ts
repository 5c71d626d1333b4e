import { readFileSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { KubeConfig, User } from '@kubernetes/client-node';
import { errorMessage } from '../../domain/errors';
import {
  fieldAt,
  isObject,
  listOf,
  objectOf,
  textOf,
  textsOf,
  type JsonObject,
} from '../../domain/kubernetes/json-value';

/** A user as the library reads it, and with the fields that it does not know. */
interface WholeUser extends User {
  readonly written?: { readonly fields: JsonObject; readonly folder: string };
}

/** Keeps all fields of the users of a file. Paths in it start from its folder. */
export function keepWholeUsers(config: KubeConfig, content: unknown, folder: string): void {
  const written = listOf(fieldAt(content, ['users'])).map(objectOf);
  config.users = config.users.map((user): WholeUser => {
    const { exec } = user as { readonly exec?: unknown };
    const command = textOf(objectOf(exec)['command']);
    // A name alone is looked for in PATH.
    const isPath = command?.includes(sep) === true;
    const fields = objectOf(written.find(({ name }) => name === user.name)?.['user']);
    const kept = { ...user, written: { fields, folder } };
    return isPath ? { ...kept, exec: { ...objectOf(exec), command: resolve(folder, command) } } : kept;
  });
}

const execInfo = 'KUBERNETES_EXEC_INFO';

/** Tells the exec plugin of the current user what kubectl tells it. Some need it. @throws if the CA cannot be read */
export function informPlugin(config: KubeConfig): void {
  const [user, cluster] = [config.getCurrentUser(), config.getCurrentCluster()];
  const exec: unknown = user?.exec;
  if (!isObject(exec) || !cluster) return;
  const told = {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.skipTLSVerify || undefined,
    'certificate-authority-data': cluster.caFile ? readFileSync(cluster.caFile, 'base64') : cluster.caData,
    'proxy-url': cluster.proxyUrl,
  };
  // Nobody can answer its questions: its input is no terminal.
  const spec = { interactive: false, ...(exec['provideClusterInfo'] === true && { cluster: told }) };
  const value = JSON.stringify({ kind: 'ExecCredential', apiVersion: exec['apiVersion'], spec });
  const env = listOf(exec['env']).filter((each) => fieldAt(each, ['name']) !== execInfo);
  const informed = { ...exec, env: [...env, { name: execInfo, value }] };
  config.users = config.users.map((each) => (each === user ? { ...each, exec: informed } : each));
}

const runIt = 'by itself, with the args of the kubeconfig';

/** Why there are no credentials of a user, and what to do. What a plugin prints as its answer is not repeated: it may be a token. */
export function credentialsProblem(user: User | null, thrown: unknown): string {
  const exec = objectOf(user?.exec);
  const command = textOf(exec['command']);
  // The error of the parser quotes the beginning of what it was to parse.
  if (thrown instanceof SyntaxError) {
    return `the exec plugin of the user printed no JSON${command === undefined ? '' : `: run ${command} ${runIt}`}`;
  }
  if (command === undefined) return errorMessage(thrown);
  const plugin = `the exec plugin ${command} of user ${user?.name ?? ''}`;
  // The library reads a status that is not there.
  if (thrown instanceof TypeError) return `${plugin} printed no ExecCredential with a status: run it ${runIt}`;
  const message = errorMessage(thrown).trim();
  if (textOf(fieldAt(thrown, ['syscall']))?.startsWith('spawn')) {
    const hint = textOf(exec['installHint'])?.trim();
    const advice = 'install it, or choose another context with --context';
    return `${plugin} cannot be started (${message}): ${advice}${hint ? `; its installHint: ${hint}` : ''}`;
  }
  return message || `${plugin} failed and said nothing: run it ${runIt}`;
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
