import https from 'node:https';
import type { Clock } from '../../shared/runtime/clock';
import type { AdmissionHook, AdmissionRequest, AdmissionResponse } from './admission';
import { admissionReview } from './admission-review';
import { arrayAt, numberAt, objectAt, stringAt, type JsonObject, type JsonValue } from './json';
import type { KubeObject } from './objects';
import { customKind } from './resources';

export const validatingWebhookConfigurationKind = customKind({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
});

/** One webhook call, as the API server's own metrics would count it. */
export interface WebhookCall {
  readonly webhook: string;
  readonly tookMs: number;
  /** Undefined if the webhook answered. Otherwise the reason why not; the write went on without it. */
  readonly failedOpen: string | undefined;
}

export interface ValidatingWebhooksOptions {
  readonly clock: Clock;
  /** The configurations that are stored now. */
  readonly configurations: () => Iterable<KubeObject>;
  /** The loopback port of a Service; undefined if it has no endpoints. */
  readonly portOf: (service: string) => number | undefined;
  readonly onCall?: (call: WebhookCall) => void;
}

interface Answer {
  readonly allowed: boolean;
  readonly warnings: readonly string[];
}

/**
 * Calls webhooks that are registered by Service as a kube-apiserver does: an AdmissionReview over HTTPS, with a timeout
 * and a failurePolicy. The caBundle must verify the webhook's certificate for `<service>.<namespace>.svc`.
 *
 * Of a namespaceSelector, it evaluates only `NotIn` with the namespace's name. It does not evaluate matchConditions, so
 * it also makes calls that they would prevent.
 */
export class ValidatingWebhooks implements AdmissionHook {
  readonly name = 'validating webhooks';
  readonly #options: ValidatingWebhooksOptions;
  /** Keyed by the server name and caBundle of their connections. */
  readonly #agents = new Map<string, https.Agent>();

  constructor(options: ValidatingWebhooksOptions) {
    this.#options = options;
  }

  /** Calls all webhooks in parallel. The write is allowed if none denies it. */
  async review(request: AdmissionRequest): Promise<AdmissionResponse> {
    const webhooks = [...this.#options.configurations()]
      .flatMap((configuration) => arrayAt(configuration, 'webhooks'))
      .filter((webhook) => isMeant(webhook, request));
    const responses = await Promise.all(webhooks.map(async (webhook) => await this.#call(webhook, request)));
    const warnings = responses.flatMap((response) => response.warnings ?? []);
    return { ...(responses.find(({ allowed }) => !allowed) ?? { allowed: true }), warnings };
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  async #call(webhook: JsonValue, request: AdmissionRequest): Promise<AdmissionResponse> {
    const name = stringAt(webhook, 'name') ?? '';
    const { clock, onCall } = this.#options;
    const startMs = clock.monotonicMs();
    const tell = (failedOpen: string | undefined): void =>
      onCall?.({ webhook: name, tookMs: clock.monotonicMs() - startMs, failedOpen });
    try {
      const { allowed, warnings } = await this.#answer(webhook, request);
      tell(undefined);
      return allowed ? { allowed, warnings } : { allowed, warnings, message: `denied by ${name}` };
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      if (stringAt(webhook, 'failurePolicy') !== 'Ignore') {
        return { allowed: false, message: `failed calling webhook "${name}": ${why}` };
      }
      tell(why);
      return { allowed: true };
    }
  }

  /** Rejects for every failure that the API server counts as a calling error. */
  async #answer(webhook: JsonValue, request: AdmissionRequest): Promise<Answer> {
    const clientConfig = objectAt(webhook, 'clientConfig');
    const service = stringAt(clientConfig, 'service', 'name') ?? '';
    const namespace = stringAt(clientConfig, 'service', 'namespace') ?? '';
    const port = this.#options.portOf(service);
    if (port === undefined) throw new Error(`no endpoints available for service "${service}"`);
    const seconds = numberAt(webhook, 'timeoutSeconds') ?? 10;
    const path = `${stringAt(clientConfig, 'service', 'path') ?? '/'}?timeout=${seconds}s`;
    const agent = this.#agent(stringAt(clientConfig, 'caBundle') ?? '', `${service}.${namespace}.svc`);
    const deadline = new AbortController();
    const timer = this.#options.clock.timer(seconds * 1000, () => deadline.abort());
    const target = { agent, host: '127.0.0.1', port, path, signal: deadline.signal };
    const text = await post(target, admissionReview(request)).finally(() => timer.cancel());
    const review = JSON.parse(text) as JsonObject;
    if (stringAt(review, 'response', 'uid') !== request.uid) throw new Error('expected response.uid of the request');
    const warnings = arrayAt(review, 'response', 'warnings').filter((warning) => typeof warning === 'string');
    return { allowed: objectAt(review, 'response')['allowed'] === true, warnings };
  }

  #agent(caBundle: string, servername: string): https.Agent {
    const key = `${servername} ${caBundle}`;
    const existing = this.#agents.get(key);
    if (existing) return existing;
    // With an empty bundle, Node would fall back to the CAs that it trusts.
    const ca = Buffer.from(caBundle, 'base64').toString() || 'none';
    const agent = new https.Agent({ ca, servername, keepAlive: true });
    this.#agents.set(key, agent);
    return agent;
  }
}

async function post(options: https.RequestOptions, body: Buffer): Promise<string> {
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  return await new Promise((resolve, reject) => {
    const outgoing = https.request({ ...options, method: 'POST', headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        if (incoming.statusCode === 200) resolve(Buffer.concat(chunks).toString());
        else reject(new Error(`the server answered ${String(incoming.statusCode)}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function isMeant(webhook: JsonValue, { kind, operation, namespace, subresource, dryRun }: AdmissionRequest): boolean {
  // Reroll's webhooks are never called for subresources: their rules do not list any.
  if (subresource !== undefined) return false;
  // A real server rejects a dry run if a webhook has side effects then. Reroll's webhooks have none.
  if (dryRun && !['None', 'NoneOnDryRun'].includes(stringAt(webhook, 'sideEffects') ?? '')) return false;
  const has = (rule: JsonValue, field: string, value: string): boolean =>
    arrayAt(rule, field).some((listed) => listed === value || listed === '*');
  const isRuled = arrayAt(webhook, 'rules').some(
    (rule) =>
      has(rule, 'apiGroups', kind.group) &&
      has(rule, 'apiVersions', kind.version) &&
      has(rule, 'resources', kind.plural) &&
      has(rule, 'operations', operation),
  );
  const isExcluded = arrayAt(webhook, 'namespaceSelector', 'matchExpressions').some(
    (expression) =>
      stringAt(expression, 'operator') === 'NotIn' && has(expression, 'values', namespace ?? 'not a namespace'),
  );
  return isRuled && !isExcluded;
}
