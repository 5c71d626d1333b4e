import { beforeEach, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { NamedSources } from './named-sources';
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

beforeEach(() => {
  clock = new FakeClock();
  uses = 'app';
  stop = new AbortController();
  named = new NamedSources({
    ...{ clock, logger: new RecordingLogger(), onKnown: () => undefined },
    workloads: {
      tracked: () => [trackedWorkload(workloadRecord({ annotations: auto, uses: [`cm/${uses}`] }))],
    },
    sources: { learn: () => undefined, learnAbsence: () => undefined },
    readSource: async ({ kind, namespace, name }) => await Promise.resolve(sourceRecord({ kind, namespace, name })),
    refused: () => [{ kind: 'ConfigMap', namespace: undefined }],
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
