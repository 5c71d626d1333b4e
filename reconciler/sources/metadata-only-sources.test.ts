import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ContentDigest } from '../../shared/domain/sources/content-digest';
import type { DigestedSource } from '../../shared/domain/sources/source';
import { GoneError } from '../../shared/kube/errors';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { longForm } from '../../shared/runtime/long-form.fixture';
import { contentOf, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { ContentLoader } from '../reading/content-loader';
import { SourceIndex } from './source-index';

const contents = [{ a: '1' }, { a: '2' }, { a: '1', b: '1' }, { a: '2', b: '1' }] as const;
const place = { kind: 'ConfigMap', namespace: 'shop', name: 'app' } as const;

interface Written {
  readonly version: number;
  readonly record: DigestedSource | undefined;
}

/**
 * One source on an API server, a watch that lags behind, and two indexes, one of which gets lists with only metadata.
 */
class World {
  readonly clock = new FakeClock();
  readonly whole = this.#newIndex();
  readonly listed = this.#newIndex();
  /** A past state can no longer be known: a list did not show it, or it is too long ago. */
  isForgotten = false;
  readonly #startMs = this.clock.nowMs();
  readonly #reader = new ContentLoader({
    isRefused: () => false,
    sources: {
      countIn: () => 1,
      unresolved: (source) => this.listed.unresolved(source),
      learn: (record) => {
        this.listed.learn(record);
        const known = this.whole.get(place);
        const isNews = known?.resourceVersion !== record.resourceVersion || known.uid !== record.uid;
        if (isNews) this.whole.learn(record);
      },
      learnPast: (...past) => this.listed.learnPast(...past),
      learnAbsence: (source) => {
        this.#forgetUnread();
        for (const index of [this.whole, this.listed]) index.learnAbsence(source);
      },
    },
    find: async (_source, at) => await this.#find(at),
    each: async () => await Promise.resolve(),
    onRead: () => undefined,
  });
  #history: Written[] = [{ version: 1, record: undefined }];
  /** What the watch has yet to show. */
  #events: Written[] = [];
  #watched: DigestedSource | undefined;
  #leftOut: DigestedSource | undefined;
  #readMs = 0;
  #remembers = true;

  readonly steps = {
    write: (value: number): void => {
      const before = this.#stored;
      if (!before) this.#leftOut = undefined;
      const data = contents[value % contents.length]!;
      const nowMs = this.#secondMs;
      const content = contentOf(data);
      const onlyRemoves = before && content.keyNames.every((key) => content.key(key) === before.content.key(key));
      const leavesNoTime = onlyRemoves === true && value % 3 > 0;
      this.#write({
        ...(before ?? { uid: `uid-${String(this.#version)}`, createdAtMs: nowMs }),
        data,
        content,
        writtenAtMs: leavesNoTime ? before.writtenAtMs : value % 17 === 0 ? undefined : nowMs,
        ignore: value % 13 === 0,
      });
    },
    label: (): void => {
      if (this.#stored) this.#write({ ...this.#stored, writtenAtMs: this.#secondMs });
    },
    delete: (): void => {
      this.#leftOut = undefined;
      if (this.#stored) this.#append(undefined);
    },
    /** A label leaves the source out, or lets it in again as it is by then. */
    select: (value: number): void => {
      const left = this.#leftOut;
      if (this.#stored) {
        this.#leftOut = this.#stored;
        this.#append(undefined);
      } else if (left) {
        const content = value % 2 === 0 ? left.content : contentOf(contents[value % contents.length]!);
        this.#write({ ...left, content, writtenAtMs: this.#secondMs });
      }
    },
    watch: (): void => {
      const event = this.#events.shift();
      if (!event) return;
      const { record, version } = event;
      for (const index of [this.whole, this.listed]) {
        if (record) sinkOf(index).upsert(record, 'watch');
        else sinkOf(index).remove('shop/app', this.#watched?.uid, String(version));
      }
      this.#watched = record;
    },
    /** The watch breaks, and starts again with a list. */
    list: (): void => {
      [this.#events, this.#watched] = [[], this.#stored];
      if (!this.#watched) this.#forgetUnread();
      for (const index of [this.whole, this.listed]) {
        const record =
          this.#watched &&
          (index === this.whole ? this.#watched : { ...this.#watched, content: 'metadata-only' as const });
        if (record) sinkOf(index).upsert(record, 'list');
        else if (index.get(place)) sinkOf(index).remove('shop/app', undefined, undefined);
      }
    },
    read: (value: number): void => {
      this.#readMs = value % 3 === 0 ? 0 : value * 10;
      void this.#reader.read('shop', [{ kind: 'ConfigMap', name: 'app' }]);
    },
    compact: (value: number): void => void (this.#remembers = value % 4 > 0),
    wait: async (value: number): Promise<void> => await this.clock.advance(value * 50),
  };

  /** Shows everything that was written, and reads everything that is metadata-only. */
  async rest(): Promise<void> {
    while (this.#events.length > 0) this.steps.watch();
    this.#readMs = 0;
    await this.clock.advance(1_000);
    await this.#reader.read('shop', [{ kind: 'ConfigMap', name: 'app' }]);
    expect(this.listed.unresolved(place)).toEqual({ past: [], now: undefined });
  }

  /** The index's answers to every question. */
  answers(index: SourceIndex): Readonly<Record<string, string>> {
    const answers: Record<string, string> = { first: describeContent(index.firstContent(place)) };
    for (let atMs = this.#startMs - 2_000; atMs < this.clock.nowMs() + 2_000; atMs += 1_000) {
      answers[String((atMs - this.#startMs) / 1000)] = inForce(index, atMs);
    }
    return { ...answers, today: inForce(index, Infinity) };
  }

  get #version(): number {
    return this.#history.at(-1)!.version;
  }

  get #stored(): DigestedSource | undefined {
    return this.#history.at(-1)!.record;
  }

  get #secondMs(): number {
    return Math.floor(this.clock.nowMs() / 1000) * 1000;
  }

  #newIndex(): SourceIndex {
    return new SourceIndex(this.clock, {
      onChange: () => undefined,
      onInconsistency: () => undefined,
      onListed: () => undefined,
    });
  }

  #write(record: Parameters<typeof sourceRecord>[0]): void {
    this.#append(sourceRecord({ ...record, resourceVersion: String(this.#version + 2) }));
  }

  /** Other objects are written too, so versions have gaps. */
  #append(record: DigestedSource | undefined): void {
    const written = { version: this.#version + 2, record };
    this.#history.push(written);
    this.#events.push(written);
  }

  async #find(at = String(this.#version)): Promise<DigestedSource | undefined> {
    const found = this.#history.findLast(({ version }) => version <= Number(at));
    const isTooOld = !this.#remembers && found !== this.#history.at(-1);
    await new Promise<void>((resolve) => (this.#readMs > 0 ? this.clock.timer(this.#readMs, resolve) : resolve()));
    if (!isTooOld) return found?.record;
    this.isForgotten = true;
    throw new GoneError('too old', { status: 410, reason: 'Expired', retryAfterMs: undefined });
  }

  #forgetUnread(): void {
    this.isForgotten ||= this.listed.get(place)?.content === 'metadata-only';
  }
}

function sinkOf(index: SourceIndex): ReturnType<SourceIndex['sink']> {
  return index.sink('ConfigMap', undefined, () => undefined);
}

function inForce(index: SourceIndex, atMs: number): string {
  const state = index.inForceAt(place, atMs);
  return typeof state === 'string' ? state : describeContent(state.content);
}

function describeContent(content: ContentDigest | string | undefined): string {
  return typeof content === 'string' ? content : (content?.whole() ?? 'none');
}

type StepName = keyof World['steps'];
type Steps = readonly (readonly [StepName, number])[];
const stepNames: readonly StepName[] = [
  'write',
  'label',
  'delete',
  'select',
  'watch',
  'list',
  'read',
  'compact',
  'wait',
];

/**
 * A content was replaced before it was read, and can no longer be read: it may have existed since the previous write.
 */
const forgotten: Steps = [
  ...([
    ['read', 0],
    ['write', 5],
    ['compact', 0],
    ['wait', 10],
    ['list', 0],
  ] as const),
  ...([
    ['write', 0],
    ['write', 0],
    ['write', 0],
  ] as const),
];

/** A source was deleted before it was read, and the watch then shows the writes before that, which removed a key. */
const deletedUnread: Steps = [
  ['write', 0],
  ['write', 0],
  ['delete', 0],
  ['compact', 0],
  ['read', 0],
  ['wait', 0],
];

/** An object takes the place of another one unseen: which keys it lacks is known only once both are read. */
const replacedUnread: readonly Steps[] = [
  [
    ['delete', 0],
    ['list', 0],
    ['write', 0],
    ['list', 0],
    ['write', 0],
    ['write', 0],
  ],
  [
    ['delete', 0],
    ['write', 0],
    ['write', 0],
    ['wait', 3],
    ['read', 37],
    ['wait', 8],
  ],
];

/** Labels select a source again before anybody read what it contained before. */
const selectedAgain: Steps = [
  ['select', 0],
  ['select', 0],
  ['wait', 10],
];

async function answersAlike(steps: Steps): Promise<void> {
  const world = new World();
  world.steps.write(steps.length);
  await world.steps.wait(30);
  world.steps.list();
  const compare = (isAtRest: boolean): void => {
    const expected = world.answers(world.whole);
    const excused = [...(isAtRest ? [] : ['metadata-only']), ...(world.isForgotten ? ['unknown'] : [])];
    const answers = Object.entries(world.answers(world.listed));
    const judged = answers.map(([asked, answer]) => [asked, excused.includes(answer) ? expected[asked] : answer]);
    expect(Object.fromEntries(judged)).toEqual(expected);
  };
  for (const [name, value] of steps) {
    await world.steps[name](value);
    compare(false);
  }
  await world.rest();
  compare(true);
}

it('a source that was listed by its metadata and then read ends up like one that was listed whole, and is never something else before', async () => {
  const often = fc.constantFrom<StepName>('write', 'watch', 'read', 'wait');
  const step = fc.tuple(fc.oneof(often, fc.constantFrom(...stepNames)), fc.nat({ max: 60 }));
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 30 }), answersAlike), {
    numRuns: longForm(1_000, 120),
    examples: [[forgotten], [deletedUnread], [selectedAgain], ...replacedUnread.map((steps): [Steps] => [steps])],
  });
});
