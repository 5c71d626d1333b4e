import { createDataDir, killAndRemove, recordServers } from './data-dir';
import { runAtExit } from './exit-cleanup';
import { NotWorthPolling, pollUntil } from './poll';
import { type ServerCommand, type ServerProcess, startServerProcess } from './server-process';

/**
 * The servers of one control plane and their data folder. When the group ends, for whatever reason, no process and no
 * file is left.
 */
export class ServerGroup {
  readonly dataDir: string;
  readonly logDir: string;
  readonly #servers = new Set<ServerProcess>();
  readonly #forgetExit: () => void;
  #stopped: Promise<void> | undefined;

  constructor(logDir?: string) {
    this.dataDir = createDataDir();
    this.logDir = logDir ?? this.dataDir;
    this.#forgetExit = runAtExit(() => killAndRemove(this.dataDir, this.running()));
  }

  /** The servers that were started and not stopped. */
  running(): ServerProcess[] {
    return [...this.#servers];
  }

  /** Starts a server. */
  async start(command: ServerCommand): Promise<ServerProcess> {
    if (this.#stopped !== undefined) throw new Error(`cannot start ${command.name}: the control plane is stopped`);
    const server = await startServerProcess(command, { workDir: this.dataDir, logDir: this.logDir });
    this.#servers.add(server);
    recordServers(this.dataDir, this.running());
    void server.exited.then((reason) => {
      if (this.#servers.has(server)) console.error(`control plane: ${server.name} ${reason}, see ${server.logPath}`);
    });
    return server;
  }

  /** Stops one server. */
  async stop(server: ServerProcess, signal: NodeJS.Signals): Promise<void> {
    if (!this.#servers.delete(server)) return;
    await server.stop(signal);
    recordServers(this.dataDir, this.running());
  }

  /** Polls until a server does what it should; fails at once, with the end of its log, when it ends instead. */
  async waitFor(server: ServerProcess, what: string, attempt: () => Promise<true | undefined>): Promise<void> {
    try {
      await pollUntil(
        what,
        async () => {
          const reason = server.exitReason();
          if (reason !== undefined) throw new NotWorthPolling(`${server.name} ${reason} before ${what}`);
          return await attempt();
        },
        { timeoutMs: 60_000 },
      );
    } catch (error) {
      // The log is removed with the data folder, so the message must include its end.
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`${message}\n--- end of ${server.name}.log\n${await server.logTail()}`, { cause: error });
    }
  }

  /** Ends every server and removes the data folder. */
  async stopAll(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    await this.#stopped;
  }

  async #stopAll(): Promise<void> {
    const servers = this.running();
    this.#servers.clear();
    // Nobody reads the data again, so a graceful shutdown is not needed.
    await Promise.all(servers.map(async (server) => await server.stop('SIGKILL')));
    killAndRemove(this.dataDir, servers);
    this.#forgetExit();
  }
}
