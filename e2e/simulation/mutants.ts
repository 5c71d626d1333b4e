import type { Mutation } from './batch';

/** A planted bug: a piece of source text that is replaced by another. */
export interface Mutant extends Mutation {
  readonly what: string;
}

/** A bug that a test finds without a world. `test` is the path of the test file from the root of the repository. */
export interface TestedMutant extends Mutant {
  readonly test: string;
}

const hints = 'reconciler/hints/hints.ts';
const inbox = 'reconciler/hints/change-record-intake.ts';
const capture = 'webhook/plugins/capture-change.ts';
const queue = 'webhook/channel/replica-queue.ts';

/** Bugs in the webhook, the channel and the confirmation. Each is found within 2,000 seeds, most within a hundred. */
export const mutants: readonly Mutant[] = [
  {
    what: 'a hint is taken for what is stored',
    file: hints,
    from: "    if (this.#sources.isFull) return 'full';",
    to: `    if (known) {
      const Digest = known.content.constructor as unknown as { of(entries: readonly (readonly [string, string])[]): typeof known.content };
      const content = Digest.of(known.content.keyNames.map((name) => [name, hint.digest]));
      this.#options.onStored({ ...known, resourceVersion: String(Number(known.resourceVersion) + 1), content });
    }`,
  },
  {
    what: 'who announced is the author of whatever is stored',
    file: hints,
    from: "    if (this.#sources.isFull) return 'full';",
    to: "    if (known) this.#attributions.add(id, known.content.whole(), [hint], 'webhook');",
  },
  {
    what: 'who was superseded is an author too',
    file: hints,
    from: 'this.#attributions.add(id, state, confirmed.toSorted(newestFirst), path)',
    to: 'this.#attributions.add(id, state, [...confirmed, ...superseded], path)',
  },
  {
    what: 'a read that fails ends the confirmation',
    file: hints,
    from: "      this.#warning.warn('read',",
    to: "      if (thrown) return;\n      this.#warning.warn('read',",
  },
  {
    what: 'what no read shows is waited for without end',
    file: hints,
    from: 'startedMs - receivedMs >= requestOverMs',
    to: 'startedMs - receivedMs >= Infinity',
  },
  {
    what: 'hints of one source are kept without bound',
    file: hints,
    from: 'source.hints.length > maxHintsPerSource',
    to: 'source.hints.length > Infinity',
  },
  {
    what: 'a source is read again at once',
    file: hints,
    from: 'const gapsMs = [minGapMs, 2_000, 5_000, 10_000];',
    to: 'const gapsMs = [0];',
  },
  {
    what: 'what a read shows does not reach the index',
    file: hints,
    from: '    this.#options.onStored(stored);',
    to: '',
  },
  { what: 'the watch is waited for for ten seconds', file: hints, from: 'patienceMs = 300', to: 'patienceMs = 10_000' },
  {
    what: 'a watch that is behind takes the index back',
    file: 'shared/domain/kubernetes/resource-version.ts',
    from: 'export function isOlderVersion(',
    to: 'export function isOlderVersion(..._: unknown[]): boolean {\n  return false;\n}\nfunction unused(',
  },
  {
    what: 'a digest under another key is compared',
    file: inbox,
    from: 'record.keyId !== keys.keyId',
    to: 'record.keyId === undefined',
  },
  { what: 'an old record is taken', file: inbox, from: 'Math.abs(ageMs) > maxAgeMs', to: 'ageMs > Infinity' },
  {
    what: 'records are wanted by nobody',
    file: 'reconciler/engine/engine.ts',
    from: 'this.#workloads.index.usersOf(source).length > 0',
    to: 'this.#workloads.index.usersOf(source).length > 99',
  },
  {
    what: 'a change is counted twice',
    file: 'reconciler/reporting/reporter.ts',
    from: 'this.#options.metrics.channel.changed(attribution);',
    to: 'for (const _ of [1, 2]) this.#options.metrics.channel.changed(attribution);',
  },
  {
    what: 'what both hooks see is told twice',
    file: 'webhook/plugins/recent-changes.ts',
    from: 'this.#last.get(source) === change',
    to: "this.#last.get(source) === ''",
  },
  {
    what: 'a dry run is told',
    file: 'webhook/plugins/capture-observer.ts',
    from: 'request.dryRun === true',
    to: 'request.uid === undefined',
  },
  {
    what: 'a record holds a value',
    file: capture,
    from: 'const digest = digestOf(source, digester).whole();',
    to: "const digest = Object.values((request.object as { data?: object }).data ?? {}).join('').replace(/[^\\w-]/g, '').padEnd(22, '0').slice(0, 22);",
  },
  {
    what: 'what is sent waits without bound',
    file: queue,
    from: 'this.#waiting.length > maxQueued.records || this.#waitingBytes > maxQueued.bytes',
    to: 'this.#waiting.length > Infinity',
  },
  {
    what: 'a replica that does not answer is waited for without end',
    file: 'shared/kube/client/delivery.ts',
    from: 'deadline.set(timeoutMs);',
    to: '',
  },
  {
    what: 'records go to the first replica alone',
    file: 'webhook/channel/change-sender.ts',
    from: 'else for (const queue of this.#queues.values()) queue.add',
    to: 'else for (const queue of [...this.#queues.values()].slice(0, 1)) queue.add',
  },
  {
    what: 'a write that is asked about is refused',
    file: 'webhook/admission/admission-review.ts',
    from: 'allowed: denied === undefined',
    to: 'allowed: false',
  },
];
