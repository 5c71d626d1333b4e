import { beforeEach, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { NamedSources } from './named-sources';
import type { DigestedSource, SourceRecord } from '../../shared/domain/sources/source';
import type { RefusedSources } from '../watch/watches';
import {
  appConfig,
  auto,
  sourceRecord,
  trackedWorkload,
  workloadRecord,
} from '../../shared/domain/plan/records.fixture';

let clock: FakeClock;
let named: NamedSources;
let uses: string;
let stop: AbortController;
/** What the index shows of the source. */
let shown: SourceRecord | undefined;
/** What a read finds. */
let stored: DigestedSource | undefined;
/** Called between a read and its answer. */
let meanwhile: () => void;
let refused: readonly RefusedSources[];

beforeEach(() => {
  clock = new FakeClock();
  uses = 'app';
  shown = undefined;
  meanwhile = () => undefined;
  stored = sourceRecord({ resourceVersion: '7' });
  refused = [{ kind: 'ConfigMap', namespace: undefined }];
  stop = new AbortController();
  named = new NamedSources({
    ...{ clock, logger: new RecordingLogger(), onKnown: () => undefined },
    workloads: {
      tracked: () => [trackedWorkload(workloadRecord({ annotations: auto, uses: [`cm/${uses}`] }))],
    },
    sources: {
      get: () => shown,
      learn: (record) => void (shown = record),
      learnAbsence: () => void (shown = undefined),
    },
    readSource: async () => {
      const found = stored;
      await Promise.resolve();
      meanwhile();
      return found;
    },
    refused: () => refused,
  });
});

it('knows what workloads name, and forgets what no workload names any more', async () => {
  const run = named.run(stop.signal);
  await clock.advance(1_000);
  expect(named.knows(appConfig)).toBe(true);
  uses = 'other';
  await clock.advance(30_000);
  expect([named.knows(appConfig), named.knows({ kind: 'ConfigMap', namespace: 'shop', name: 'other' })]).toEqual([
    false,
    true,
  ]);
  stop.abort();
  await clock.settle();
  await run;
});

/** Polls once, and returns the version that the index shows then. */
async function versionAfterPoll(): Promise<string | undefined> {
  const run = named.run(stop.signal);
  await clock.advance(1_000);
  stop.abort();
  await clock.settle();
  await run;
  return shown?.resourceVersion;
}

const later = sourceRecord({ resourceVersion: '9' });

it('takes what it has read, and that it found nothing', async () => {
  expect(await versionAfterPoll()).toBe('7');
  stop = new AbortController();
  stored = undefined;
  expect(await versionAfterPoll()).toBeUndefined();
});

it.each([
  ['a state that', () => stored],
  ['nothing, which', () => undefined],
])('a read finds %s a change record has overtaken: the index keeps the later state', async (_what, found) => {
  stored = found();
  meanwhile = () => (shown = later);
  expect(await versionAfterPoll()).toBe('9');
  expect(named.knows(appConfig)).toBe(true);
});

it('a read finds a later state than a change record, whose read began earlier and was answered later: it counts', async () => {
  stored = later;
  meanwhile = () => (shown = sourceRecord({ resourceVersion: '8' }));
  expect(await versionAfterPoll()).toBe('9');
});

it.each([
  ['anywhere', []],
  ['in its namespace', [{ kind: 'ConfigMap', namespace: 'other' }] as const],
])('the source may be listed %s by the time of the answer: the watch alone shows it', async (_where, still) => {
  meanwhile = () => (refused = still);
  expect(await versionAfterPoll()).toBeUndefined();
  expect(named.knows(appConfig)).toBe(false);
});
