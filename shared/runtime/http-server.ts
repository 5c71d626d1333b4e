import { createServer, type Server } from 'node:http';
import express, { type Express } from 'express';
import { errorMessage } from '../domain/errors';
import { listenOn } from './listen';
import type { ListenAddress } from './listen-address';

/** One thing that must hold for a probe to succeed. */
export interface Check {
  readonly name: string;
  check(): CheckResult;
}

export interface CheckResult {
  readonly ok: boolean;
  /** For people: what is wrong and what to do, or what is well. */
  readonly message: string;
}

export interface HttpServerOptions {
  /** Liveness: fails only where a restart of the process would help. */
  readonly live: readonly Check[];
  /** Readiness: work can be done. */
  readonly ready: readonly Check[];
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

/** Plain HTTP for kubelet and Prometheus: `/healthz`, `/readyz`, `/metrics`, and Reloader's `/live`. */
export class HttpServer {
  readonly #server: Server;

  constructor(options: HttpServerOptions) {
    this.#server = createServer(routes(options));
  }

  /**
   * Resolves with the port in use, which the system chose if the address asks for port 0.
   * @throws ListenError
   */
  async listen(address: ListenAddress): Promise<{ readonly port: number }> {
    return { port: await listenOn(this.#server, address, '--listen') };
  }

  /** Also for a server that does not listen. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Kubelet and Prometheus keep their connections: a close that waited for them would never end.
    this.#server.closeAllConnections();
    await closed;
  }
}

function routes({ live, ready, metrics }: HttpServerOptions): Express {
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
      .status(report.ok ? 200 : 503)
      .type('text')
      .send(describe(report));
  });
  // Word for word what Reloader answers, for whoever asks without kubelet.
  app.get('/live', (_request, response) => {
    const { ok } = examine(live);
    response
      .status(ok ? 200 : 500)
      .type('text')
      .send(ok ? 'alive' : '');
  });
  app.get('/readyz', (request, response) => {
    const report = examine(ready);
    response.status(report.ok ? 200 : 503);
    if (request.query['verbose'] === undefined) response.json(report);
    else response.type('text').send(describe(report));
  });
  app.get('/metrics', async (_request, response) => {
    try {
      const text = await metrics.text();
      response.setHeader('Content-Type', metrics.contentType);
      response.end(text);
    } catch (thrown) {
      // Express would show the stack to whoever asks.
      response
        .status(500)
        .type('text')
        .send(`${errorMessage(thrown)}\n`);
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
  const results = checks.map((check) => ({ name: check.name, ...run(check) }));
  return { ok: results.every(({ ok }) => ok), checks: results };
}

/** A check that throws is one that fails, not a 500 without a name. */
function run(check: Check): CheckResult {
  try {
    return check.check();
  } catch (thrown) {
    return { ok: false, message: errorMessage(thrown) };
  }
}

/** One line a check, in the form of the API server's own `/readyz?verbose`. */
function describe({ ok, checks }: Report): string {
  const lines = checks.map((check) => `[${check.ok ? '+' : '-'}] ${check.name}: ${check.message}`);
  return [...lines, ok ? 'ok' : 'failed', ''].join('\n');
}
