import { createServer, type Server } from 'node:http';
import express, { type Express } from 'express';
import { errorMessage } from '../../domain/errors';
import { printable } from '../../domain/text/printable';
import type { Clock } from '../clock';
import { Connections, headLimits } from './connections';
import { listenOn } from './listen';
import { formatListenAddress, type ListenAddress } from './listen-address';
import type { Logger } from '../log/logger';
import { renderedForMs, SharedRendering } from './shared-rendering';
import type { Component } from '../process/lifecycle';

/** One condition of a probe. */
export interface Check {
  readonly name: string;
  check(): CheckResult;
}

export interface CheckResult {
  readonly ok: boolean;
  /** For people: what is wrong and how to fix it, or what is fine. */
  readonly message: string;
}

export interface HttpServerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Liveness: fails only if a restart of the process would help. */
  readonly live: readonly Check[];
  /** Readiness: the process can work. */
  readonly ready: readonly Check[];
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

/**
 * Anybody who reaches the port may send requests. A kubelet and a Prometheus behind one address open fewer than 32
 * connections. An answer takes no time, so a client that has not read its answer may lose its connection to the next
 * probe.
 */
const connectionLimits = { max: 64, maxPerAddress: 32, idleMs: 5_000, slowMs: 0 };

/**
 * That of the API server's own probes. `kubectl get --raw` prints the body of a 500, and of a 503 only that the server is
 * unable to handle the request.
 */
const failedStatus = 500;

/** Plain HTTP for kubelet and Prometheus: `/healthz`, `/readyz`, `/metrics`, and Reloader's `/live`. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections: Connections;

  constructor(options: HttpServerOptions) {
    const { clock, logger } = options;
    this.#server = createServer(headLimits, routes(options));
    const what = 'server of metrics and probes';
    this.#connections = new Connections(this.#server, { clock, logger, what, ...connectionLimits });
  }

  /** Resolves with the port in use, which the system chooses for port 0. @throws ListenError */
  async listen(address: ListenAddress): Promise<{ readonly port: number }> {
    return { port: await listenOn(this.#server, address, '--listen') };
  }

  /** Works also if the server does not listen. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Kubelet and Prometheus keep their connections: a close that waited for them would never end.
    this.#connections.destroy();
    await closed;
  }
}

function routes({ clock, live, ready, metrics }: HttpServerOptions): Express {
  const rendered = new SharedRendering(clock, renderedForMs, async () => await metrics.text());
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') next();
    else response.status(405).set('Allow', 'GET, HEAD').type('text').send('method not allowed\n');
  });
  app.get('/healthz', (_request, response) => {
    const report = examine(live);
    response
      .status(report.ok ? 200 : failedStatus)
      .type('text')
      .send(describe(report));
  });
  // Answer exactly as Reloader does, for existing probes.
  app.get('/live', (_request, response) => {
    const { ok } = examine(live);
    response
      .status(ok ? 200 : 500)
      .type('text')
      .send(ok ? 'alive' : '');
  });
  app.get('/readyz', (request, response) => {
    const report = examine(ready);
    response.status(report.ok ? 200 : failedStatus);
    if (request.query['verbose'] === undefined) response.json(report);
    else response.type('text').send(describe(report));
  });
  app.get('/metrics', async (_request, response) => {
    try {
      const text = await rendered.bytes();
      response.setHeader('Content-Type', metrics.contentType);
      response.setHeader('Content-Length', String(text.length));
      response.end(text);
    } catch (thrown) {
      // Express would show the stack to the client.
      response
        .status(500)
        .type('text')
        .send(`${printable(errorMessage(thrown))}\n`);
    }
  });
  app.use((_request, response) => {
    response.status(404).type('text').send('not found\n');
  });
  return app;
}

interface Report {
  readonly ok: boolean;
  readonly checks: readonly (CheckResult & { readonly name: string })[];
}

function examine(checks: readonly Check[]): Report {
  const results = checks.map((check) => {
    const { ok, message } = run(check);
    // The message may quote an API server, or a name in the Lease.
    return { name: check.name, ok, message: printable(message) };
  });
  return { ok: results.every(({ ok }) => ok), checks: results };
}

/** A check that throws counts as failed. Otherwise it would cause a 500 that names no check. */
function run(check: Check): CheckResult {
  try {
    return check.check();
  } catch (thrown) {
    return { ok: false, message: errorMessage(thrown) };
  }
}

/** One line per check, in the form of the API server's own `/readyz?verbose`. */
function describe({ ok, checks }: Report): string {
  const lines = checks.map((check) => `[${check.ok ? '+' : '-'}] ${check.name}: ${check.message}`);
  return [...lines, ok ? 'ok' : 'failed', ''].join('\n');
}

/** Metrics and probes as a component of a process. */
export function probeComponent(
  options: HttpServerOptions & { readonly listen: ListenAddress; readonly logger: Logger },
): Component {
  const { listen, logger } = options;
  const server = new HttpServer(options);
  return {
    name: 'metrics and probes',
    start: async () => {
      const { port } = await server.listen(listen);
      logger.info('serving metrics and probes', { address: formatListenAddress({ ...listen, port }) });
    },
    stop: async () => await server.close(),
  };
}
