import { answerBatch, channelAnswers } from '../../reconciler/channel/answers';
import { channelPaths, type ChannelPath } from '../../shared/domain/protocol/channel-names';
import { errorMessage } from '../../shared/domain/errors';
import { ConnectionError } from '../../shared/kube/errors';
import type { ChannelAnswer, ChannelTransport } from '../../webhook/channel/channel-transport';
import { arrayAt, stringAt, type JsonObject, type JsonValue } from '../apiserver/json';
import type { Draw } from './draw';
import type { Violation } from './judge';
import { valueIn } from './judge-leaks';
import type { Loop } from './loop';
import type { SimulatedProcess } from './process';
import type { Reconcilers, ReconcilerProcess } from './reconcilers';

/** The faults of batches on their way, each with its probability. */
export interface ChannelWeather {
  readonly maxLatencyMs: number;
  /** The batch never arrives, and the sender gets no error. */
  readonly lost: number;
  /** The batch is accepted, but its answer is lost. */
  readonly lostAnswer: number;
  /** The connection breaks; the batch may have arrived. */
  readonly reset: number;
  /** The batch arrives after its sender has given up, perhaps after later batches. */
  readonly late: number;
}

/** A record that reached a reconciler. */
export interface Delivery {
  readonly record: JsonObject;
  readonly to: SimulatedProcess;
  readonly atMs: number;
  /** False if the reconciler refused the record because it had no room. */
  readonly isTaken: boolean;
}

export interface ChannelOptions {
  readonly loop: Loop;
  readonly draw: Draw;
  readonly weather: ChannelWeather;
  readonly reconcilers: () => Reconcilers;
  readonly told: (who: string, what: string) => void;
  readonly onSent: (from: string, record: JsonObject) => void;
  readonly onDelivered: (delivery: Delivery) => void;
}

const port = 8444;
const latestMs = 15_000;

/** Everything between the reconcilers and the webhook, or anybody else who has the webhook's certificate. */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #cut = new Set<string>();
  readonly #captured: JsonObject[] = [];
  readonly #deliveries = new Map<SimulatedProcess, number>();
  readonly #violations: Violation[] = [];
  #weather: ChannelWeather;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#weather = options.weather;
  }

  /** The addresses of places, as in a StatefulSet: a process has the address of its place. */
  get addresses(): readonly string[] {
    return this.#options.reconcilers().slots.map((_process, index) => `10.1.0.${String(index)}:${String(port)}`);
  }

  /** The address of this process. No later process gets it. */
  addressOf({ process }: ReconcilerProcess): string {
    const [, place = '', start = ''] = process.name.split('-');
    return `10.2.${place}.${start}:${String(port)}`;
  }

  get violations(): readonly Violation[] {
    return this.#violations;
  }

  /** Every record that a webhook sent, which is what an eavesdropper knows. */
  get captured(): readonly JsonObject[] {
    return this.#captured;
  }

  /** The number of records that reached the process, from any sender. */
  deliveredTo(process: SimulatedProcess): number {
    return this.#deliveries.get(process) ?? 0;
  }

  transport(from: SimulatedProcess): ChannelTransport {
    return {
      post: async (address, path, body, signal) =>
        path === channelPaths.changes
          ? await this.#post(from, address, body, signal)
          : await this.#ask(path, from, address, body, signal),
    };
  }

  /** Sends a batch as somebody else who has the webhook's certificate. */
  forge(body: Buffer): void {
    for (const address of this.addresses) this.#later(() => this.#arrive('mallory', address, body, () => undefined));
  }

  /** Cuts the webhooks off from the reconciler in this place for a while. */
  cut(index: number, durationMs: number): void {
    const address = this.addresses[index % this.addresses.length] ?? '';
    this.#options.told('channel', `to ${address} is cut, for ${String(durationMs)} ms`);
    this.#cut.add(address);
    this.#options.loop.timer(durationMs, () => this.#cut.delete(address));
  }

  relieve(): void {
    this.#cut.clear();
    this.#weather = { maxLatencyMs: 20, lost: 0, lostAnswer: 0, reset: 0, late: 0 };
  }

  async #post(from: SimulatedProcess, address: string, body: Buffer, signal: AbortSignal): Promise<ChannelAnswer> {
    return await new Promise((resolve, reject) => {
      const fail = (why: string): void => from.deliver(() => reject(new ConnectionError(why)));
      signal.addEventListener('abort', () => reject(new ConnectionError('the request was aborted')), { once: true });
      const { draw, told, onSent } = this.#options;
      const records = recordsOf(body);
      this.#captured.push(...records);
      for (const record of records) onSent(from.name, record);
      this.#check(`a batch of ${from.name}`, body.toString('utf8'));
      const { lost, lostAnswer, reset, late } = this.#weather;
      if (draw.chance(lost)) {
        told(from.name, `its batch is lost: ${shown(body)}`);
        return;
      }
      if (draw.chance(reset)) {
        told(from.name, `the connection to ${address} is reset`);
        this.#later(() => fail('read ECONNRESET'));
        if (draw.chance(0.5)) return;
      }
      const answerIsLost = draw.chance(lostAnswer);
      const arrive = (): void => {
        const isHere = this.#arrive(from.name, address, body, (answer) => {
          if (answerIsLost) told(from.name, 'does not get the answer to its batch');
          else this.#later(() => this.#isCut(address) || from.deliver(() => resolve(answer)));
        });
        if (!isHere) this.#later(() => fail('connect ECONNREFUSED'));
      };
      this.#later(arrive, draw.chance(late) ? draw.int(1_000, latestMs) : 0);
    });
  }

  /** A query is lost like a batch. Late and repeated queries are not simulated, because they make no difference. */
  async #ask(
    path: ChannelPath,
    from: SimulatedProcess,
    address: string,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<ChannelAnswer> {
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new ConnectionError('the request was aborted')), { once: true });
      const { draw } = this.#options;
      this.#check(`a question of ${from.name}`, body.toString('utf8'));
      if (draw.chance(this.#weather.lost)) return;
      this.#later(() => {
        const target = this.#at(address);
        if (this.#isCut(address) || !target) return;
        target.process.deliver(() => {
          void channelAnswers[path](body, target.reconciler).then(
            ({ status, body: answer }) => {
              this.#check(`an answer of ${target.process.name}`, JSON.stringify(answer));
              this.#later(() => from.deliver(() => resolve({ status, body: Buffer.from(JSON.stringify(answer)) })));
            },
            (thrown: unknown) => this.#fellOver(target, thrown),
          );
        });
      });
    });
  }

  /** Returns false if nobody listens at the address. */
  #arrive(from: string, address: string, body: Buffer, answered: (answer: ChannelAnswer) => void): boolean {
    if (this.#isCut(address)) return true;
    const target = this.#at(address);
    if (!target) return false;
    const { process, reconciler } = target;
    const { loop, told, onDelivered } = this.#options;
    process.deliver(() => {
      try {
        const { status, headers, body: answer } = answerBatch(body, reconciler);
        told(from, `its batch reaches ${process.name}: ${status}, ${shown(body)}`);
        this.#check(`an answer of ${process.name}`, JSON.stringify(answer));
        const records = status === 400 ? [] : recordsOf(body);
        this.#deliveries.set(process, this.deliveredTo(process) + records.length);
        const isTaken = status === 202;
        for (const record of records) onDelivered({ record, to: process, atMs: loop.monotonicMs(), isTaken });
        const seconds = headers?.['retry-after'];
        answered({ status, ...(seconds !== undefined && { retryAfterMs: Number(seconds) * 1000 }) });
      } catch (thrown) {
        this.#fellOver(target, thrown);
      }
    });
    return true;
  }

  #fellOver({ process }: ReconcilerProcess, thrown: unknown): void {
    this.#violations.push({ promise: 'fell over', sentence: `${process.name}: ${errorMessage(thrown)}` });
  }

  #at(address: string): ReconcilerProcess | undefined {
    const { running, slots } = this.#options.reconcilers();
    return slots[this.addresses.indexOf(address)] ?? running.find((process) => this.addressOf(process) === address);
  }

  #isCut(address: string): boolean {
    const target = this.#at(address);
    return this.#cut.has(address) || (target !== undefined && this.#cut.has(this.#placeOf(target)));
  }

  #placeOf(target: ReconcilerProcess): string {
    return this.addresses[this.#options.reconcilers().slots.indexOf(target)] ?? '';
  }

  #check(what: string, text: string): void {
    const value = valueIn(text);
    if (value !== undefined) this.#violations.push({ promise: 'leak', sentence: `${what} tells ${value}` });
  }

  #later(run: () => void, extraMs = 0): void {
    const { draw, loop } = this.#options;
    // Mostly fast, sometimes slow.
    loop.timer(extraMs + 0.2 + this.#weather.maxLatencyMs * draw.random.float() ** 4, run);
  }
}

function recordsOf(body: Buffer): readonly JsonObject[] {
  try {
    const records = arrayAt(JSON.parse(body.toString('utf8')) as JsonValue, 'records');
    return records.filter((record): record is JsonObject => typeof record === 'object' && record !== null);
  } catch {
    return [];
  }
}

/** The judge's name of the source, such as `ConfigMap shop/app`. */
export function sourceOfRecord(record: JsonObject): string {
  return `${stringAt(record, 'kind') ?? '?'} ${stringAt(record, 'namespace') ?? '?'}/${stringAt(record, 'name') ?? '?'}`;
}

function shown(body: Buffer): string {
  const named = recordsOf(body).map((record) => `${sourceOfRecord(record)} by ${stringAt(record, 'user') ?? '?'}`);
  return [...new Set(named)].slice(0, 4).join(', ') || 'nothing that parses';
}
