import { existsSync, readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { delimiter, dirname } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { errorMessage } from '../../domain/errors';
import { fieldAt, listOf, textOf } from '../../domain/kubernetes/json-value';
import { printable } from '../../domain/text/printable';
import type { Clock } from '../../runtime/clock';
import type { Environment } from '../../runtime/options/options';
import type { ClusterAccess, TlsMaterial } from './cluster-access';
import { CredentialsError, RenewedCredentials } from './credentials';
import { environmentProxy } from './environment-proxy';
import type * as Library from './kubeconfig-library';
import { credentialsProblem, headersOfUser, informPlugin, keepWholeUsers } from './kubeconfig-user';

export interface KubeconfigOptions {
  /** One path, or several as in KUBECONFIG. The files are merged: the first one wins, and some may be missing. */
  readonly path: string;
  /** Default: the file's current context. */
  readonly context?: string;
  /** For the proxy, as in kubectl; a `proxy-url` of the cluster wins. */
  readonly env?: Environment;
  readonly clock: Clock;
}

/** A proxy that does not answer must not hang for ever. Once connected, the caller sets the limits. */
const proxyTimeoutMs = 10_000;

/**
 * Loads access to a cluster from a kubeconfig, for a process outside the cluster. It supports tokens, client
 * certificates, exec plugins, OIDC and proxies. The library that implements them takes 60 MB, so it is loaded only when this is
 * called.
 * @throws CredentialsError if the file, its context, or what it refers to is not usable.
 */
export async function loadKubeconfig({ path, context, env = {}, clock }: KubeconfigOptions): Promise<ClusterAccess> {
  const read = async (): Promise<KubeConfig> => withProxy(await readKubeconfig(path, context), path, env);
  let config = await read();
  let written = writtenIn(config);
  const cluster = config.getCurrentCluster();
  const { cluster: named, user } = config.getContextObject(config.getCurrentContext()) ?? {};
  if (!cluster) {
    const missing = named ? `: "${shown(named)}"` : '';
    throw new CredentialsError(`kubeconfig ${path}: its context names a cluster that is not in the file${missing}`);
  }
  // As in kubectl. Without its user, every request would be refused as that of nobody.
  if (user && !config.getCurrentUser()) {
    throw new CredentialsError(
      `kubeconfig ${path}: its context names a user that is not in the file: "${shown(user)}"`,
    );
  }
  // Without a scheme, Node takes the host for one, and would send the credentials to port 80 of this machine.
  const protocol = URL.canParse(cluster.server) ? new URL(cluster.server).protocol : '';
  if (!serverProtocols.has(protocol)) {
    throw new CredentialsError(
      `kubeconfig ${path}: "${shown(cluster.server)}" is no address of a server; write one such as https://10.0.0.1:6443`,
    );
  }
  if (protocol !== 'https:' && !cluster.skipTLSVerify) {
    throw new CredentialsError(
      `kubeconfig ${path}: ${shown(cluster.server)} is not encrypted; use https, or set insecure-skip-tls-verify if this is intended`,
    );
  }
  const tlsOf = (authentication: RequestOptions): TlsMaterial => ({
    ...pem('ca', authentication.ca),
    ...pem('cert', authentication.cert),
    ...pem('key', authentication.key),
    ...(cluster.tlsServerName !== undefined && { serverName: cluster.tlsServerName }),
    ...(cluster.skipTLSVerify && { insecureSkipVerify: true }),
    ...(config.getCurrentCluster()?.proxyUrl &&
      typeof authentication.agent === 'object' && { proxyAgent: authentication.agent }),
  });
  const use = (next: KubeConfig): void => {
    [config, written] = [next, writtenIn(next)];
  };
  const credentials = new RenewedCredentials(clock, async (reason) => {
    // Plugins cache their credentials. A new KubeConfig has an empty cache, and reads a rewritten file.
    if (reason === 'refused') use(await read());
    return headersOf(await authenticate(config, path));
  });
  return {
    server: cluster.server,
    tls: tlsOf(await authenticate(config, path)),
    credentials,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    reloadTls: async () => {
      const next = await read();
      // Otherwise each reload would run the plugin, which may ask somebody, or take a refresh token a second time.
      if (writtenIn(next) !== written) use(next);
      return tlsOf(await authenticate(config, path));
    },
  };
}

/** What a kubeconfig says that was just read: later, the library keeps tokens in it. */
function writtenIn(config: KubeConfig): string {
  return JSON.stringify([config.getCurrentCluster(), config.getCurrentUser()]);
}

/** What an API server speaks. */
const serverProtocols: ReadonlySet<string> = new Set(['http:', 'https:']);

/** Proxies that the library knows. */
const proxyProtocols: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks5h:', 'socks:']);

/** Sets the proxy of the current cluster: its own, or else that of the environment. */
function withProxy(config: KubeConfig, path: string, env: Environment): KubeConfig {
  const cluster = config.getCurrentCluster();
  if (!cluster || !URL.canParse(cluster.server)) return config;
  const proxyUrl = cluster.proxyUrl || environmentProxy(new URL(cluster.server), env);
  if (!proxyUrl) return config;
  if (!URL.canParse(proxyUrl) || !proxyProtocols.has(new URL(proxyUrl).protocol)) {
    // The URL is not shown: it may contain a password.
    throw new CredentialsError(
      `kubeconfig ${path}: the proxy-url of its cluster, or HTTPS_PROXY, is no address of a proxy; write one with http://, https:// or socks5://`,
    );
  }
  config.clusters = config.clusters.map((each) => (each === cluster ? { ...each, proxyUrl } : each));
  return config;
}

/** The names of the contexts. @throws CredentialsError if the file is not usable */
export async function readContexts(path: string): Promise<readonly string[]> {
  const names = (await mergedKubeconfig(path)).getContexts().map(({ name }) => shown(name));
  return names.filter((name) => name !== '');
}

async function mergedKubeconfig(path: string): Promise<KubeConfig> {
  const library = await import('./kubeconfig-library');
  const { KubeConfig } = library;
  const paths = path.split(delimiter).filter((part) => part !== '');
  const present = paths.filter((file) => existsSync(file));
  if (paths.length === 0) {
    throw new CredentialsError('no kubeconfig is named: KUBECONFIG holds no path; name one there or with --kubeconfig');
  }
  // As in kubectl, some of several files may be missing.
  if (present.length === 0) {
    throw new CredentialsError(
      `there is no kubeconfig ${shown(paths.join(' or '))}; name another with --kubeconfig or KUBECONFIG`,
    );
  }
  // As in kubectl, one without content says nothing, as long as another says something.
  const readable = present.flatMap((file) => readFrom(library, file) ?? []);
  if (readable.length === 0) {
    throw new CredentialsError(`cannot read kubeconfig ${shown(present.join(' or '))}: ${isNone}; ${whatToDo}`);
  }
  const [config = new KubeConfig(), ...others] = readable;
  for (const other of others) mergeMissing(config, other);
  return config;
}

async function readKubeconfig(path: string, context: string | undefined): Promise<KubeConfig> {
  const config = await mergedKubeconfig(path);
  if (context !== undefined) config.setCurrentContext(context);
  if (!config.getContextObject(config.getCurrentContext())) {
    const known = config.getContexts().map(({ name }) => shown(name));
    const wanted = shown(config.getCurrentContext());
    const problem = wanted === '' ? 'names no current context' : `has no context "${wanted}"`;
    throw new CredentialsError(
      `kubeconfig ${path} ${problem}; it has: ${shown(known.join(', ')) || 'none'}. Choose one with --context`,
    );
  }
  return config;
}

const isNone = 'it is empty or not a kubeconfig';
const whatToDo = 'fix it, or name another with --kubeconfig or KUBECONFIG';

/** What a file says; undefined if it is empty. */
function readFrom({ KubeConfig: Config, parseDocument }: typeof Library, file: string): KubeConfig | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.trim() === '') return undefined;
    const config = new Config();
    // As for kubectl, an entry that lacks something matters only to those who choose it.
    config.loadFromFile(file, { onInvalidEntry: 'filter' });
    if (isOther(config, text)) throw new TypeError('the library takes any YAML for an empty kubeconfig');
    // As for kubectl, what is in the file counts before a path.
    for (const cluster of config.clusters) if (cluster.caData) delete cluster.caFile;
    for (const user of config.users) {
      if (user.certData) delete user.certFile;
      if (user.keyData) delete user.keyFile;
    }
    const content: unknown = parseDocument(text, { merge: true, uniqueKeys: false }).toJS();
    keepWholeUsers(config, content, dirname(file));
    for (const context of listOf(fieldAt(content, ['contexts']))) {
      const name = textOf(fieldAt(context, ['name']));
      if (name !== undefined && !config.getContextObject(name)) config.addContext({ name, cluster: '', user: '' });
    }
    return config;
  } catch (thrown) {
    // Omit the whole message and the cause: the YAML reader quotes the lines around a mistake, which may hold tokens.
    throw new CredentialsError(`cannot read kubeconfig ${shown(file)}: ${readingProblem(thrown)}; ${whatToDo}`);
  }
}

/**
 * Formats a name for a message. Users receive kubeconfig files from others. Despite the library's types, a name may be
 * missing, or be the number or boolean that YAML makes of unquoted text.
 */
function shown(name: unknown): string {
  if (typeof name === 'number' || typeof name === 'boolean') return String(name);
  return typeof name === 'string' ? printable(name, 500) : '';
}

/** Whether the text of a file is something else. */
function isOther({ clusters, contexts, users }: KubeConfig, text: string): boolean {
  const isEmpty = clusters.length === 0 && contexts.length === 0 && users.length === 0;
  return isEmpty && !/\bkind["']?\s*:\s*["']?Config\b/.test(text);
}

function readingProblem(thrown: unknown): string {
  // The library throws this for a file that is not a kubeconfig.
  if (thrown instanceof TypeError) return isNone;
  if (fieldAt(thrown, ['code']) === 'EISDIR') return 'it is a directory';
  return shown(errorMessage(thrown).split('\n', 1)[0] ?? '');
}

/**
 * Merges as kubectl does: entries of earlier files are not replaced. The library's own merge rejects duplicate names.
 */
function mergeMissing(config: KubeConfig, more: KubeConfig): void {
  const names = (entries: readonly { readonly name: string }[]): ReadonlySet<string> =>
    new Set(entries.map(({ name }) => name));
  const [clusters, users, contexts] = [names(config.clusters), names(config.users), names(config.contexts)];
  for (const cluster of more.clusters) if (!clusters.has(cluster.name)) config.addCluster(cluster);
  for (const user of more.users) if (!users.has(user.name)) config.addUser(user);
  for (const one of more.contexts) if (!contexts.has(one.name)) config.addContext(one);
  if (!config.currentContext) config.setCurrentContext(more.currentContext);
}

async function authenticate(config: KubeConfig, path: string): Promise<RequestOptions> {
  const options: RequestOptions = { headers: {}, timeout: proxyTimeoutMs };
  const provider: unknown = config.getCurrentUser()?.authProvider ?? undefined;
  const unusable = `kubeconfig ${path}: its auth-provider is not supported or incomplete; use an exec plugin`;
  // The library would send the requests as those of nobody.
  if (provider !== undefined && !isKnownProvider(provider)) throw new CredentialsError(unusable);
  try {
    informPlugin(config);
    await config.applyToHTTPSOptions(options);
    Object.assign(options.headers ?? {}, headersOfUser(config.getCurrentUser()));
  } catch (thrown) {
    // The library reads fields of it that it does not have.
    if (thrown instanceof TypeError && provider !== undefined) throw new CredentialsError(unusable);
    const problem = credentialsProblem(config.getCurrentUser(), thrown);
    // The error of the parser quotes the beginning of what it was to parse, which may be a token.
    const cause = thrown instanceof SyntaxError ? undefined : thrown;
    throw new CredentialsError(`kubeconfig ${path}: cannot obtain credentials: ${problem}`, cause);
  }
  return options;
}

/** As the library decides it. */
function isKnownProvider(provider: unknown): boolean {
  const name = textOf(fieldAt(provider, ['name'])) ?? '';
  return ['azure', 'gcp', 'oidc', 'exec'].includes(name) || fieldAt(provider, ['config', 'exec']) !== undefined;
}

function headersOf({ headers, auth }: RequestOptions): Record<string, string> {
  const obtained: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (typeof value === 'string') obtained[name.toLowerCase()] = value;
  }
  if (typeof auth === 'string') obtained['authorization'] = `Basic ${Buffer.from(auth).toString('base64')}`;
  return obtained;
}

function pem(name: 'ca' | 'cert' | 'key', value: unknown): Partial<TlsMaterial> {
  if (Buffer.isBuffer(value)) return { [name]: value };
  return typeof value === 'string' ? { [name]: Buffer.from(value) } : {};
}
