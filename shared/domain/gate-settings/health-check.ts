/** A Service of the workload's own namespace, and what to ask it. */
export interface HealthyUrl {
  readonly protocol: 'http' | 'https';
  readonly service: string;
  /** As it is written; undefined: it is not. Only the workload's own is ever asked. */
  readonly namespace: string | undefined;
  readonly port: number;
  /** With the query. */
  readonly path: string;
}

/** A query of Prometheus, in PromQL. */
export interface HealthyQuery {
  readonly promQl: string;
}

/** What a workload says about its health besides its status. A check that cannot be read never passes. */
export interface HealthCheckSettings {
  readonly healthyUrl?: HealthyUrl | 'unreadable';
  readonly healthyQuery?: HealthyQuery | 'unreadable';
}

/** Which checks the install asks. */
export interface AskedChecks {
  readonly urls: boolean;
  readonly queries: boolean;
}

/** The flag without which each check is not asked. */
export const checkFlags = { healthyUrl: '--healthy-urls', healthyQuery: '--prometheus-url' } as const;
export type CheckName = keyof typeof checkFlags;

/** Kept as long as the workload, and asked again and again. */
const maxLength = { url: 500, query: 1_000 };

const label = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
const serviceLabel = '[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?';
const pathCharacters = "[-\\w.~!$&'()*+,;=:@%/]";

/**
 * No parser of URLs is asked, because each of them accepts much that the next one reads differently: user info, IP
 * addresses in five notations, back slashes, escapes in the host.
 */
const urlForm = new RegExp(
  `^(?<protocol>https?)://(?<service>${serviceLabel})(?:\\.(?<namespace>${label})(?:\\.svc(?:\\.cluster\\.local)?)?)?` +
    `(?::(?<port>[1-9][0-9]{0,4}))?(?<path>/${pathCharacters}*(?:\\?(?:${pathCharacters}|\\?)*)?)?$`,
);

/** Undefined: it is not the URL of a Service. */
export function parseHealthyUrl(text: string): HealthyUrl | undefined {
  const found = text.length <= maxLength.url ? urlForm.exec(text)?.groups : undefined;
  if (!found) return undefined;
  const { service = '', namespace, port: written, path = '/' } = found;
  const protocol = found['protocol'] === 'https' ? 'https' : 'http';
  const port = written === undefined ? { http: 80, https: 443 }[protocol] : Number(written);
  return port > 65_535 ? undefined : { protocol, service, namespace, port, path };
}

/** Undefined: it is empty or too long. Prometheus alone knows whether it can be evaluated. */
export function parseHealthyQuery(text: string): HealthyQuery | undefined {
  const promQl = text.trim();
  if (promQl === '' || promQl.length > maxLength.query) return undefined;
  // A copy: V8 would keep the whole annotation for a slice of it.
  return { promQl: Buffer.from(promQl).toString() };
}

/** Whether a URL names no other namespace than that of its workload. */
export function isOfNamespace(url: HealthyUrl, namespace: string): boolean {
  return url.namespace === undefined || url.namespace === namespace;
}

/** The checks of a workload that this install asks. */
export function askedOf(checks: HealthCheckSettings | undefined, { urls, queries }: AskedChecks): HealthCheckSettings {
  return {
    ...(urls && checks?.healthyUrl && { healthyUrl: checks.healthyUrl }),
    ...(queries && checks?.healthyQuery && { healthyQuery: checks.healthyQuery }),
  };
}

/** The checks of a workload that have no effect, because a flag of the install is missing. */
export function notAskedOf(checks: HealthCheckSettings | undefined, asked: AskedChecks): readonly CheckName[] {
  return [
    ...(checks?.healthyUrl && !asked.urls ? (['healthyUrl'] as const) : []),
    ...(checks?.healthyQuery && !asked.queries ? (['healthyQuery'] as const) : []),
  ];
}
