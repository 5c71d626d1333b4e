import type { ApiServer } from '../apiserver/api-server';
import type { AdmissionHook } from '../apiserver/admission';
import { Admission } from './admission';
import { Attacker } from './attacker';
import { Channel, type Delivery } from './channel';
import { Draw } from './draw';
import { publish } from './endpoints';
import type { HybridStage } from './hybrid-actions';
import { HybridSituations } from './hybrid-situations';
import type { Hybrid } from './hybrid-world';
import type { Violation } from './judge';
import { checkHybrid, checkHybridAtRest, type HybridParts } from './judge-hybrid';
import { checkTold } from './judge-leaks';
import { RecordJudge } from './judge-records';
import type { Loop } from './loop';
import type { Network } from './network';
import type { Reconcilers } from './reconcilers';
import { Replicas } from './replicas';
import type { Users } from './users';
import { webhookProgram, type Webhooks } from './webhooks';

export interface HybridOptions {
  readonly loop: Loop;
  readonly draw: Draw;
  readonly hybrid: Hybrid;
  readonly isDark: boolean;
  readonly mayBeRefused: boolean;
  /** Called for each record that reaches a reconciler. */
  readonly onDelivered: (delivery: Delivery) => void;
  readonly told: (who: string, what: string) => void;
}

/** What the webhook needs to start and does not exist yet when the API server is made. */
interface Surroundings {
  readonly server: ApiServer;
  readonly network: Network;
  readonly users: Users;
  readonly reconcilers: Reconcilers;
  /** The place of the leader among the reconcilers. */
  readonly leader: () => number | undefined;
}

/** Longer than the confirmation of a record takes: by then it is confirmed or a phantom. */
const confirmedMs = 75_000;
/** By then a flood has arrived, but the records that it causes have not been sent. */
const floodedMs = 250;
/** The lag of the EndpointSlice controller. */
const publishedMs = 1_500;

/** The webhook of a world, with everything that it is connected to. */
export class HybridWorld {
  readonly #options: HybridOptions;
  readonly #admission: Admission;
  readonly #channel: Channel;
  readonly #records = new RecordJudge();
  #surroundings: (Surroundings & { readonly webhooks: Webhooks; readonly situations: HybridSituations }) | undefined;
  readonly #inFlood: Violation[] = [];
  #lastDeliveryMs = 0;
  #uponRecord: ((leader: number) => void) | undefined;

  constructor(options: HybridOptions) {
    const { loop, draw, hybrid, told } = options;
    this.#options = options;
    this.#channel = new Channel({
      ...{ loop, told, draw: new Draw(draw.seed()), weather: hybrid.channel },
      reconcilers: () => this.#around.reconcilers,
      onSent: (from, record) => this.#records.sent(from, record),
      onDelivered: (delivery) => this.#delivered(delivery),
    });
    this.#admission = new Admission({
      ...{ loop, told, draw: new Draw(draw.seed()), weather: hybrid.calls },
      ...{ paths: hybrid.paths, conditions: hybrid.conditions },
      webhooks: () => this.#around.webhooks,
      onTimeout: (source) => this.situations.unheard(source),
      onKilled: () => this.situations.killedInReview(),
      onAsked: (process, source, id) => this.#records.asked(process, source, id, loop.monotonicMs()),
      onMarked: (marked) => this.situations.marked(marked),
      onDryRun: (id) => this.#records.tried(id),
    });
  }

  get hooks(): readonly AdmissionHook[] {
    return this.#admission.hooks();
  }

  get situations(): HybridSituations {
    return this.#around.situations;
  }

  /** Waits until every hint is confirmed or a phantom, at most until {@link confirmedMs} after the last delivery. */
  async rest(): Promise<void> {
    const { loop } = this.#options;
    while (!loop.halted && loop.monotonicMs() < this.#lastDeliveryMs + confirmedMs && (await this.#isBusy())) {
      await loop.runUntil(loop.monotonicMs() + 5_000);
    }
  }

  /** Starts the webhook. */
  start(surroundings: Surroundings): HybridStage {
    const { loop, draw, hybrid, isDark, told } = this.#options;
    const { server, network, users, reconcilers } = surroundings;
    const program = webhookProgram(network, this.#channel, hybrid.discover);
    const webhooks = new Replicas(hybrid.replicas, { loop, network, program, told, draw: new Draw(draw.seed()) });
    this.#surroundings = { ...surroundings, webhooks, situations: new HybridSituations(server, isDark) };
    webhooks.startAll();
    const channel = this.#channel;
    const admission = this.#admission;
    const objectOf = users.object.bind(users);
    const attacker = new Attacker({ channel, admission, told, objectOf, nowMs: () => loop.nowMs() });
    const crashUponRecord = (afterMs: number, downMs: number): void => {
      this.#uponRecord = (leader) => loop.timer(afterMs, () => reconcilers.crash(leader, downMs));
    };
    const checkSoon = (): void =>
      void loop.timer(floodedMs, () => void this.check().then((found) => this.#inFlood.push(...found)));
    return { webhooks, channel, admission, attacker, crashUponRecord, checkSoon };
  }

  /** Called when the addresses of the reconcilers have changed. */
  reconcilersChanged(): void {
    const { loop, hybrid } = this.#options;
    if (!hybrid.discover) return;
    loop.timer(publishedMs, () => {
      const { server, reconcilers } = this.#around;
      void publish(
        server,
        reconcilers.running.map((process) => this.#channel.addressOf(process)),
      );
    });
  }

  relieve(): void {
    this.#admission.relieve();
    this.#channel.relieve();
    this.#around.webhooks.relieve();
  }

  /** Kills all processes of the webhook. */
  crash(downMs: number): void {
    this.#around.webhooks.crashAll(downMs);
  }

  async check(): Promise<readonly Violation[]> {
    const found = [...this.#channel.violations, ...this.#admission.violations, ...this.#records.violations];
    return [...found, ...(await checkHybrid(this.#parts))];
  }

  /** `halted`: the world ended before it came to rest. */
  async checkAtRest(halted: boolean): Promise<readonly Violation[]> {
    const { webhooks, reconcilers } = this.#around;
    await this.situations.ended(reconcilers, webhooks);
    const leaks = (await Promise.all(webhooks.all.map(checkTold))).flat();
    if (halted) return leaks;
    return [...leaks, ...this.#inFlood, ...(await checkHybridAtRest(this.#parts))];
  }

  async #isBusy(): Promise<boolean> {
    const { webhooks, reconcilers } = this.#around;
    for (const reconciler of reconcilers.running) {
      if ((await reconciler.metrics.sum('reroll_hints_pending')) > 0) return true;
    }
    for (const webhook of webhooks.running) {
      if ((await webhook.metrics.sum('reroll_channel_queue_records')) > 0) return true;
    }
    return false;
  }

  get #parts(): HybridParts {
    const { webhooks, reconcilers, server } = this.#around;
    return { webhooks, channel: this.#channel, reconcilers, server, mayBeRefused: this.#options.mayBeRefused };
  }

  get #around() {
    if (!this.#surroundings) throw new Error('the webhook has not been started');
    return this.#surroundings;
  }

  #delivered(delivery: Delivery): void {
    this.situations.delivered(delivery);
    this.#options.onDelivered(delivery);
    this.#lastDeliveryMs = delivery.atMs;
    if (this.#uponRecord === undefined) return;
    const leader = this.#around.leader();
    if (leader === undefined || this.#around.reconcilers.slots[leader]?.process !== delivery.to) return;
    this.#uponRecord(leader);
    this.#uponRecord = undefined;
  }
}
