import { channelAnswers } from '../../reconciler/channel/answers';
import type { ChannelPath } from '../../shared/domain/protocol/channel-names';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { sleep } from '../../shared/runtime/clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { WebhookEngine } from '../../webhook/process/engine';
import { WebhookMetrics } from '../../webhook/metrics';
import type { AdmissionHook, AdmissionRequest, AdmissionResponse } from '../apiserver/admission';
import { admissionReview } from '../apiserver/admission-review';
import { inProcessTransport } from '../apiserver/in-process-transport';
import type { JsonValue } from '../apiserver/json';
import { ownNamespace } from '../engine-settings';
import { engineUser, Harness, type Engine } from './harness';

/** `timeoutSeconds` of the webhook registration. */
export const webhookTimeoutMs = 2_000;

/** The real mutating webhook, called by a simulated API server. */
export class MutatingWebhook {
  readonly harness: Harness;
  /** `frozen`: it accepts calls and never answers; the API server times out and goes on (`failurePolicy: Ignore`). */
  state: 'unregistered' | 'frozen' | 'answering' = 'answering';
  /** The reconcilers that the webhook asks. One that is missing never answers. */
  asked: readonly Engine[] = [];
  readonly engine: WebhookEngine;

  constructor() {
    const hook: AdmissionHook = {
      name: 'mutate.reroll.dev',
      review: async (request) => await this.#review(request),
    };
    this.harness = new Harness({ admission: [hook] });
    const { clock, random, server, faults } = this.harness;
    const logger = new RecordingLogger();
    const transport = inProcessTransport(server, 'webhook', faults);
    const credentials = staticCredentials({});
    const client = new KubeClient({ ...{ transport, clock, logger, credentials }, userAgent: 'w' });
    const channel = {
      post: async (address: string, path: ChannelPath, body: Buffer) => await this.#ask(address, path, body),
    };
    this.engine = new WebhookEngine(
      { ...{ client, clock, random, logger }, metrics: new WebhookMetrics(), transport: channel },
      {
        ...{ ownNamespace, webhookService: 'reroll-webhook', channelService: 'reroll-channel' },
        reconcilerAddresses: ['10.0.0.1:0', '10.0.0.1:1'],
        ...{ register: [], injectCaFrom: undefined, preview: false, lint: false, quietNamespaces: [] },
      },
    );
  }

  async #ask(address: string, path: ChannelPath, body: Buffer): Promise<{ status: number; body: Buffer }> {
    const { reconciler } = this.asked[Number(address.slice(-1))] ?? {};
    if (!reconciler) return await new Promise(() => undefined);
    const answer = await channelAnswers[path](body, reconciler);
    return { status: answer.status, body: Buffer.from(JSON.stringify(answer.body)) };
  }

  async #review(request: AdmissionRequest): Promise<AdmissionResponse> {
    // Like the registration, skips Reroll's own writes and writes of subresources.
    const isAsked = request.user !== engineUser && request.subresource === undefined;
    if (this.state === 'unregistered' || !isAsked) return { allowed: true };
    if (this.state === 'frozen') {
      await sleep(this.harness.clock, webhookTimeoutMs);
      return { allowed: true };
    }
    return await new Promise<AdmissionResponse>((resolve) => {
      const exchange = this.engine.handler.begin({
        path: 'mutate',
        answer: ({ body }) => resolve(responseIn(body)),
      });
      exchange.push(admissionReview(request));
      exchange.end();
    });
  }
}

function responseIn(body: Buffer): AdmissionResponse {
  const { response } = JSON.parse(body.toString('utf8')) as {
    response: { allowed: boolean; patch?: string; warnings?: string[] };
  };
  const { allowed, warnings = [] } = response;
  const patch = Buffer.from(response.patch ?? '', 'base64').toString('utf8');
  return { allowed, warnings, ...(patch !== '' && { patch: JSON.parse(patch) as JsonValue[] }) };
}
