import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** The audit policy: the API server writes one line when a response starts or completes, without bodies. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};

/** The fields of an `audit.k8s.io/v1` Event that tests look at. */
export interface AuditEntry {
  /** One per request; a watch has two entries with the same id, when it starts and when it ends. */
  readonly auditID: string;
  readonly stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly apiVersion?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code: number; readonly reason?: string; readonly message?: string };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Which audit entries are wanted. */
export interface AuditFilter {
  /** Only requests of this user. */
  readonly user?: string;
}

/** Reads an audit log line by line, because the log of a long test exceeds the longest string that Node can hold. */
export async function readAuditLog(file: string, filter: AuditFilter = {}): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  for await (const line of lines) {
    const entry = parseAuditLine(line);
    if (entry !== undefined && (filter.user === undefined || entry.user.username === filter.user)) entries.push(entry);
  }
  return entries;
}

/** One entry per request: drops the second entry of a watch, so that the length is a count of requests. */
export function uniqueRequests(entries: readonly AuditEntry[]): AuditEntry[] {
  const byId = new Map<string, AuditEntry>();
  for (const entry of entries) if (!byId.has(entry.auditID)) byId.set(entry.auditID, entry);
  return [...byId.values()];
}

function parseAuditLine(line: string): AuditEntry | undefined {
  try {
    return JSON.parse(line) as AuditEntry;
  } catch {
    // The last line may be half-written: the server appends while we read.
    return undefined;
  }
}
