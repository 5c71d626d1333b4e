import { sendAnswer, type Pod } from '../../cli/cluster/kube-server.fixture';
import type { HistoryEntry, WorkloadRow } from '../../cli/ui/model/live-message';
import { maxWorkloadRows } from '../../shared/domain/protocol/inspection-question';

/** A leader with as many workloads as a test wants, which answers by the inspection interface, page by page. */
export class ShopLeader {
  readonly #rows: Map<string, WorkloadRow>;
  readonly #sources = new Map<string, object>();
  readonly #workloads = new Map<string, object>();
  history: readonly HistoryEntry[] = [];
  /** How often the first page was asked for. */
  polls = 0;
  /** Set: the leader answers so. */
  problem: { readonly status: number; readonly code: string; readonly message: string } | undefined;

  constructor(rows: readonly WorkloadRow[]) {
    this.#rows = new Map(rows.map((row) => [keyOf(row), row]));
  }

  set(row: WorkloadRow): void {
    this.#rows.set(keyOf(row), row);
  }

  setSource(path: string, body: object): void {
    this.#sources.set(path, body);
  }

  setWorkload(path: string, body: object): void {
    this.#workloads.set(path, body);
  }

  /** The pod, for a kube server. */
  readonly pod: Pod = (socket, request) => {
    const [, url = ''] = /GET (\S+) HTTP/.exec(request) ?? [];
    const { status, body } = this.#answer(new URL(url, 'http://localhost'));
    sendAnswer(socket, status, body);
  };

  #answer({ pathname, searchParams }: URL): { readonly status: number; readonly body: object } {
    if (this.problem) return { status: this.problem.status, body: { v: 1, ...this.problem } };
    if (pathname === '/v1/workloads') return { status: 200, body: this.#page(searchParams) };
    if (pathname === '/v1/history') return { status: 200, body: { v: 1, entries: this.#historyOf(searchParams) } };
    const [, , subject = '', ...rest] = pathname.split('/');
    const objects = subject === 'sources' ? this.#sources : this.#workloads;
    const body = objects.get(rest.join('/'));
    const [kind, namespace, name] = rest;
    return {
      status: 200,
      body: body ?? { ...{ v: 1, kind, namespace, name }, tracked: false, because: 'not-found', why: 'there is none' },
    };
  }

  #page(query: URLSearchParams): object {
    const after = Buffer.from(query.get('continue') ?? '', 'base64url').toString();
    const namespace = query.get('namespace') ?? '';
    if (after === '') this.polls++;
    const keys = [...this.#rows.keys()].toSorted().filter((key) => key > after);
    const all = keys
      .flatMap((key) => this.#rows.get(key) ?? [])
      .filter((row) => namespace === '' || row.namespace === namespace);
    const workloads = all.slice(0, maxWorkloadRows);
    const last = workloads.at(-1);
    const more =
      all.length > workloads.length && last ? { continue: Buffer.from(keyOf(last)).toString('base64url') } : {};
    return { v: 1, workloads, ...more };
  }

  #historyOf(query: URLSearchParams): readonly HistoryEntry[] {
    const fields = ['kind', 'namespace', 'name'] as const;
    const isAsked = (entry: HistoryEntry): boolean =>
      fields.every((field) => (query.get(field) ?? '') === '' || query.get(field) === entry[field]);
    return this.history.filter(isAsked).slice(0, Number(query.get('limit') ?? '500'));
  }
}

function keyOf({ kind, namespace, name }: WorkloadRow): string {
  return `${kind}/${namespace}/${name}`;
}
