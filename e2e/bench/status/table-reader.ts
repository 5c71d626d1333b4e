import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { maxWorkloadRows } from '../../../shared/domain/protocol/inspection-question';
import { workloadPageSchema } from '../../../shared/domain/protocol/workload-page';

/** What reading whole tables showed. */
export interface TableReads {
  /** Of the last table. */
  readonly rows: number;
  /** Of each page. */
  readonly pageMs: readonly number[];
  /** Of each whole table. */
  readonly tableMs: readonly number[];
}

/** The leader has 16 connections for all who ask. Whoever comes when so many read is left out. */
const maxReaders = 8;

/** Begins to read the whole table again and again, as `reroll status` and `reroll ui` do: page after page. */
export async function readTables(
  port: number,
  { everyMs, forMs }: { readonly everyMs: number; readonly forMs: number },
): Promise<TableReads> {
  const [pageMs, tableMs]: [number[], number[]] = [[], []];
  const startMs = performance.now();
  const readers = new Set<Promise<void>>();
  let rows = 0;
  const readOne = async (): Promise<void> => {
    const beganMs = performance.now();
    rows = await readTable(port, pageMs);
    tableMs.push(performance.now() - beganMs);
  };
  for (let turn = 0; turn * everyMs < forMs; turn++) {
    await delay(Math.max(0, startMs + turn * everyMs - performance.now()));
    if (readers.size === maxReaders) continue;
    const reader = readOne().finally(() => readers.delete(reader));
    readers.add(reader);
  }
  await Promise.all(readers);
  return { rows, pageMs, tableMs };
}

async function readTable(port: number, pageMs: number[]): Promise<number> {
  let rows = 0;
  for (let token: string | undefined = ''; token !== undefined;) {
    const beganMs = performance.now();
    const text = await answerTo(port, `/v1/workloads?namespace=&limit=${maxWorkloadRows}&continue=${token}`);
    pageMs.push(performance.now() - beganMs);
    const page = workloadPageSchema.parse(JSON.parse(text));
    rows += page.workloads.length;
    token = page.continue;
  }
  return rows;
}

/** A forwarded port is a new connection for each question. */
async function answerTo(port: number, path: string): Promise<string> {
  const request = http.get({ port, path, agent: false, headers: { host: 'localhost', 'accept-encoding': 'gzip' } });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = (
    response.headers['content-encoding'] === 'gzip' ? gunzipSync(Buffer.concat(chunks)) : Buffer.concat(chunks)
  ).toString();
  if (response.statusCode !== 200) throw new Error(`GET ${path}: ${response.statusCode ?? 0} ${text}`);
  return text;
}
