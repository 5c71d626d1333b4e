import type { ReviewPath } from '../../webhook/metrics';
import { ownNamespace } from '../engine-settings';
import type { AdmissionHook, AdmissionRequest, AdmissionResponse } from '../apiserver/admission';
import { admissionReview } from '../apiserver/admission-review';
import { objectAt, sameJson, stringAt, type JsonObject, type JsonValue } from '../apiserver/json';
import { applyJsonPatch } from '../apiserver/json-patch';
import type { KubeObject } from '../apiserver/objects';
import type { Draw } from './draw';
import { isOurs } from './engine-user';
import type { Violation } from './judge';
import { valueIn } from './judge-leaks';
import { checkMarks, marksOf, type Marked } from './judge-marks';
import type { Loop } from './loop';
import { podTemplateOf } from './usage';
import type { WebhookProcess, Webhooks } from './webhooks';

/** The faults of the API server's webhook calls, each with its probability. */
export interface CallWeather {
  readonly maxLatencyMs: number;
  readonly lost: number;
  readonly lostAnswer: number;
  /** The call arrives twice. */
  readonly twice: number;
}

export interface AdmissionOptions {
  readonly loop: Loop;
  readonly draw: Draw;
  readonly weather: CallWeather;
  /** The hooks that are registered. */
  readonly paths: readonly ReviewPath[];
  /**
   * Whether the registration has matchConditions, which skip writes that change no data, annotations or pod template.
   */
  readonly conditions: boolean;
  readonly webhooks: () => Webhooks;
  readonly told: (who: string, what: string) => void;
  /** Called when a write goes on without the webhook's answer. `source` looks like `ConfigMap shop/app`. */
  readonly onTimeout: (source: string) => void;
  readonly onKilled: () => void;
  /** Called when a review reaches a webhook process. `source` looks like `ConfigMap shop/app`. */
  readonly onAsked: (process: string, source: string, id: string) => void;
  /** Called with what a webhook made of a write of a workload. */
  readonly onMarked: (marked: Marked) => void;
  /** Called with the id of a dry run's review: nothing will be stored. */
  readonly onDryRun: (id: string) => void;
}

/** `timeoutSeconds` of the registration, in milliseconds. Its failurePolicy is Ignore. */
const timeoutMs = 2_000;

/** A user whose writes another admission policy denies. */
export const deniedUser = 'dave';

const allowed: AdmissionResponse = { allowed: true };

/** The API server's side of the webhook: which process it calls, and how long it waits. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #violations: Violation[] = [];
  #weather: CallWeather;
  #killNext: ((index: number) => void) | undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#weather = options.weather;
  }

  get violations(): readonly Violation[] {
    return this.#violations;
  }

  /**
   * In the order in which an API server calls them: first the hooks that may change the object, last a policy that may
   * deny it.
   */
  hooks(): readonly AdmissionHook[] {
    const { paths } = this.#options;
    const ours = (['mutate', 'validate'] as const).filter((path) => paths.includes(path));
    return [
      ...ours.map((path) => ({
        name: path,
        review: (request: AdmissionRequest) => (this.#concerns(path, request) ? this.#call(path, request) : allowed),
      })),
      { name: 'policy', review: ({ user }) => (user === deniedUser ? { allowed: false } : allowed) },
    ];
  }

  /** Kills the process that is called next, as soon as the call has arrived or moments later. */
  killNext(kill: (index: number) => void): void {
    this.#killNext = kill;
  }

  relieve(): void {
    this.#weather = { maxLatencyMs: 5, lost: 0, lostAnswer: 0, twice: 0 };
    this.#killNext = undefined;
  }

  /** Sends reviews as anybody can who reaches the port of a webhook process. */
  forge(path: ReviewPath, bodies: readonly Buffer[]): void {
    const target = this.#options.draw.pickAny(this.#options.webhooks().running);
    if (!target) return;
    for (const body of bodies) this.#later(() => this.#deliver(target, path, body, () => undefined));
  }

  #concerns(path: ReviewPath, { kind, namespace, operation, user, subresource, object, oldObject }: AdmissionRequest) {
    if (operation === 'DELETE' || namespace === ownNamespace || isOurs(user) || subresource !== undefined) return false;
    const { conditions } = this.#options;
    if (isSource(kind.kind)) {
      return !conditions || oldObject === null || !sameJson(objectAt(object, 'data'), objectAt(oldObject, 'data'));
    }
    if (path !== 'mutate' || !mutatedKinds.has(kind.kind)) return false;
    if (!conditions) return true;
    const [before, after] = [oldObject, object] as unknown as readonly [KubeObject | null, KubeObject];
    if (!Object.keys(said(after)).some((key) => /^reroll\.dev\/|reloader\.stakater\.com\//.test(key))) return false;
    return !sameJson(podTemplateOf(after), podTemplateOf(before ?? undefined)) || !sameJson(said(after), said(before));
  }

  async #call(path: ReviewPath, request: AdmissionRequest): Promise<AdmissionResponse> {
    const { draw, loop, told, webhooks, onTimeout, onAsked, onDryRun } = this.#options;
    if (request.dryRun) onDryRun(request.uid);
    const { slots } = webhooks();
    const source = `${request.kind.kind} ${request.namespace ?? ''}/${request.name}`;
    return await new Promise((resolve) => {
      const answered = (response = allowed): void => {
        timer.cancel();
        resolve(response);
      };
      const timer = loop.timer(timeoutMs, () => {
        told('server', `hears nothing of ${path} on ${source}, and goes on`);
        onTimeout(source);
        resolve(allowed);
      });
      const index = draw.int(0, slots.length - 1);
      const target = slots[index];
      if (!target) {
        // A Service without endpoints, or a port that is closed.
        this.#later(() => answered());
        return;
      }
      const { lost, lostAnswer, twice } = this.#weather;
      const kill = this.#killNext;
      this.#killNext = undefined;
      const body = reviewOf(path, request);
      const answerIsLost = draw.chance(lostAnswer);
      const arrive = (): void => {
        if (target.process.state === 'dead') this.#options.onKilled();
        if (isSource(request.kind.kind))
          target.process.deliver(() => onAsked(target.process.name, source, request.uid));
        this.#deliver(target, path, body, (response) => {
          if (!answerIsLost) this.#later(() => answered(this.#judged(request, response)));
        });
        if (!kill) return;
        this.#options.onKilled();
        loop.timer(draw.pick([0, 0, 5, 30]), () => kill(index));
      };
      if (!draw.chance(lost)) this.#later(arrive);
      if (draw.chance(twice)) this.#later(arrive);
    });
  }

  #deliver(
    { process, engine }: WebhookProcess,
    path: ReviewPath,
    body: Buffer,
    answered: (response: AdmissionResponse) => void,
  ): void {
    process.deliver(() => {
      const exchange = engine.handler.begin({
        path,
        timeoutMs,
        answer: ({ status, body: answer }) => {
          const text = answer.toString('utf8');
          this.#check(process.name, status, text);
          answered(status === 200 ? responseIn(text) : allowed);
        },
      });
      exchange.push(body);
      exchange.end();
    });
  }

  /** Checks what a webhook made of a workload before that is stored. */
  #judged(
    { kind, operation, manager, object, oldObject }: AdmissionRequest,
    response: AdmissionResponse,
  ): AdmissionResponse {
    if (isSource(kind.kind) || object === null) return response;
    const write = {
      ...{ operation, isDeliberate: manager === 'kubectl-edit' },
      asked: object as unknown as KubeObject,
      after: applyJsonPatch(object, [...(response.patch ?? [])]) as unknown as KubeObject,
      oldObject: (oldObject ?? undefined) as KubeObject | undefined,
    };
    this.#violations.push(...checkMarks(write));
    for (const marked of marksOf(write)) this.#options.onMarked(marked);
    return response;
  }

  /** Whatever the review asks, the webhook must allow the write, and its answer must not contain a value. */
  #check(name: string, status: number, answer: string): void {
    const { patch } = status === 200 ? responseIn(answer) : allowed;
    const value = valueIn(`${answer} ${JSON.stringify(patch)}`);
    if (value !== undefined)
      this.#violations.push({ promise: 'leak', sentence: `an answer of ${name} tells ${value}` });
    if (status === 200 && !answer.includes('"allowed":true')) {
      this.#violations.push({ promise: 'fell over', sentence: `${name} refused a write: ${answer}` });
    }
  }

  #later(run: () => void): void {
    const { draw, loop } = this.#options;
    loop.timer(0.2 + this.#weather.maxLatencyMs * draw.random.float() ** 4, run);
  }
}

const mutatedKinds = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob']);

function isSource(kind: string): boolean {
  return kind === 'ConfigMap' || kind === 'Secret';
}

function said(object: KubeObject | null): JsonObject {
  return { ...object?.metadata.annotations };
}

function responseIn(body: string): AdmissionResponse {
  const { response } = JSON.parse(body) as {
    readonly response: { readonly allowed: boolean; readonly patch?: string };
  };
  const { allowed: isAllowed, patch } = response;
  if (patch === undefined) return { allowed: isAllowed };
  return { allowed: isAllowed, patch: JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as JsonValue[] };
}

/** A new object has no uid in a mutating review. A validating review shows it. */
function reviewOf(path: ReviewPath, request: AdmissionRequest): Buffer {
  const { object, createdUid } = request;
  const isNamed = path === 'validate' && createdUid !== undefined;
  return admissionReview(isNamed ? { ...request, object: withUid(object, createdUid) } : request);
}

function withUid(object: JsonObject | null, uid: string): JsonObject {
  const metadata = objectAt(object, 'metadata');
  return { ...object, metadata: { ...metadata, uid: stringAt(metadata, 'uid') ?? uid } };
}
