import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { type ApiEndpoint, apiRequest } from './api-request';
import { type AuditEntry, type AuditFilter, readAuditLog } from './audit';
import type { BinaryPaths } from './binaries';
import type { Identity } from './certificates';
import { type ControlPlane, rerollUser } from './cluster';
import {
  type Layout,
  apiServerCommand,
  apiServerUrl,
  auditLogPath,
  etcdCommand,
  etcdDataDir,
  etcdUrl,
  kubeconfigPath,
} from './commands';
import { type Credentials, adminUser } from './credentials';
import { type KubectlOptions, runKubectl } from './kubectl';
import type { ServerGroup } from './server-group';
import type { ServerCommand, ServerProcess } from './server-process';
import { UserDirectory } from './users';

/** The parts of a `BuiltControlPlane`. */
export interface BuiltControlPlaneParts {
  readonly group: ServerGroup;
  readonly binaries: BinaryPaths;
  readonly layout: Layout;
  readonly credentials: Credentials;
  readonly apiServerFlags: readonly string[];
}

/** A control plane of our own processes; `startControlPlane` creates it. */
export class BuiltControlPlane implements ControlPlane {
  readonly apiServerUrl: string;
  readonly caPem: string;
  readonly adminKubeconfigPath: string;
  readonly admin: Identity;
  readonly reroll: Identity;
  readonly logDir: string;
  /** For requests that are too frequent or too early for kubectl. */
  readonly adminEndpoint: ApiEndpoint;
  readonly #parts: BuiltControlPlaneParts;
  readonly #users: UserDirectory;
  #etcd: ServerProcess | undefined;
  #apiServer: ServerProcess | undefined;

  constructor(parts: BuiltControlPlaneParts) {
    const { layout, credentials } = parts;
    const { authority, admin, reroll } = credentials;
    this.#parts = parts;
    this.apiServerUrl = apiServerUrl(layout.ports);
    this.caPem = authority.caPem;
    this.adminKubeconfigPath = kubeconfigPath(layout, 'admin');
    this.admin = admin;
    this.reroll = reroll;
    this.logDir = layout.logDir;
    this.adminEndpoint = { url: this.apiServerUrl, caPem: this.caPem, identity: admin };
    this.#users = new UserDirectory({
      server: this.apiServerUrl,
      caPem: this.caPem,
      dir: layout.dataDir,
      issue: async (user, groups) => await authority.issue({ commonName: user, organizations: groups }),
    });
    this.#users.add(adminUser.user, adminUser.groups, admin);
    this.#users.add(rerollUser, [], reroll);
  }

  get servers(): readonly ServerProcess[] {
    return this.#parts.group.running();
  }

  async identityFor(user: string, groups: readonly string[] = []): Promise<Identity> {
    return await this.#users.identityFor(user, groups);
  }

  async kubeconfigFor(user: string, groups: readonly string[] = []): Promise<string> {
    return await this.#users.kubeconfigFor(user, groups);
  }

  async kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<string> {
    const { binaries, layout } = this.#parts;
    const kubectlCacheDir = path.join(layout.dataDir, 'kubectl-cache');
    return await runKubectl(binaries.kubectl, this.adminKubeconfigPath, kubectlCacheDir, args, options);
  }

  async auditEntries(filter: AuditFilter = {}): Promise<AuditEntry[]> {
    return await readAuditLog(auditLogPath(this.#parts.layout), filter);
  }

  async startServer(command: ServerCommand): Promise<void> {
    await this.#parts.group.start(command);
  }

  async startEtcd(): Promise<void> {
    const { group, binaries, layout } = this.#parts;
    const server = await group.start(etcdCommand(binaries, layout));
    this.#etcd = server;
    await group.waitFor(server, 'etcd to be healthy', async () => {
      const { ok } = await fetch(`${etcdUrl(layout.ports)}/health`);
      return ok ? true : undefined;
    });
  }

  async backUpEtcd(): Promise<string> {
    const { layout } = this.#parts;
    const backup = path.join(layout.dataDir, 'etcd-backup');
    await this.#whileStopped(async () => await cp(etcdDataDir(layout), backup, { recursive: true }));
    return backup;
  }

  async restoreEtcd(backup: string): Promise<void> {
    const dataDir = etcdDataDir(this.#parts.layout);
    await this.#whileStopped(async () => {
      await rm(dataDir, { recursive: true });
      await cp(backup, dataDir, { recursive: true });
    });
  }

  async #whileStopped(change: () => Promise<void>): Promise<void> {
    await this.stopApiServer();
    if (this.#etcd) await this.#parts.group.stop(this.#etcd, 'SIGTERM');
    await change();
    await this.startEtcd();
    await this.startApiServer();
  }

  async startApiServer(): Promise<void> {
    if (this.#apiServer !== undefined) throw new Error('the API server runs already');
    const { group, binaries, layout, apiServerFlags } = this.#parts;
    const server = await group.start(apiServerCommand(binaries, layout, apiServerFlags));
    this.#apiServer = server;
    await group.waitFor(server, 'the API server to be ready', async () => {
      const { status } = await apiRequest(this.adminEndpoint, 'GET', '/readyz');
      return status === 200 ? true : undefined;
    });
  }

  async stopApiServer(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const server = this.#apiServer;
    if (server === undefined) throw new Error('the API server does not run');
    this.#apiServer = undefined;
    await this.#parts.group.stop(server, signal);
  }

  async stop(): Promise<void> {
    await this.#parts.group.stopAll();
  }
}
