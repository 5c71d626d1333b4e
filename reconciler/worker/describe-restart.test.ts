import { expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import type { Attribution } from '../../shared/domain/plan/attribution';
import { auto, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { lastRestartAnnotation } from '../../shared/domain/plan/describe-change';
import { currentChangeId } from '../../shared/domain/sources/change-id';
import type { SourceRef } from '../../shared/domain/sources/source';
import { readLastRestart } from '../../shared/domain/workloads/last-restart';
import { systemRandom } from '../../shared/runtime/random';
import { changeOf } from '../../shared/domain/plan/change.fixture';
import { baselineOf, restartOf } from '../apply/restart.fixture';
import { attributed, describeRestart } from './describe-restart';

const nothing = { get: () => undefined, namesIn: () => [] };

it('gives each restart its own id, and writes it to marker and annotation', () => {
  let drawn = 0;
  const random = { float: () => 0, bytes: (length: number) => Buffer.alloc(length, ++drawn) };
  const options = { clock: new FakeClock(), random, sources: nothing, defaults: { strategy: 'env-vars' } } as const;
  const { workload } = restartOf();
  const restarts = [1, 2].map((sequence) => describeRestart(options, workload, baselineOf(sequence), [changeOf()]));
  expect(restarts.map(({ id }) => id)).toEqual(['01010101', '02020202']);
  for (const { id, marker, annotations } of restarts) {
    expect(marker.env[0]?.value).toMatch(new RegExp(`\\.${id}$`));
    expect(JSON.parse(annotations['reroll.dev/last-restart']!)).toMatchObject({ id });
  }
});

it('keeps an author who was known before, although by now it is forgotten who changed the keys of the workload', () => {
  const seen = { moreUsers: 0, manager: undefined, changedKeys: ['size'], path: 'both', observedAtMs: 0 } as const;
  const byAlice = { ...seen, users: ['alice'], firstUser: 'alice' };
  const byNobody = { ...seen, users: [], firstUser: undefined };
  const namedBy = (now: Attribution | undefined, before?: Attribution): unknown => {
    const change = changeOf({ attribution: before, whole: 'blue' });
    const [named] = attributed({ attribution: () => now }, restartOf().workload, [change]);
    return named?.attribution;
  };
  expect(namedBy(byNobody, byAlice)).toBe(byAlice);
  expect(namedBy(undefined, byAlice)).toBe(byAlice);
  expect(namedBy(byAlice, { ...byAlice, firstUser: 'bob' })).toBe(byAlice);
  expect(namedBy(byNobody)).toBe(byNobody);
});

it('gives a change the id of what its source holds, or of its deletion, and keeps one that it has', () => {
  const app = sourceRecord();
  const { changeId, uid, ...change } = changeOf({ whole: app.content.whole() });
  const idOf = (now: Parameters<typeof attributed>[2][number]): string | undefined =>
    attributed({ attribution: () => undefined }, restartOf().workload, [now])[0]?.changeId;
  expect(idOf({ ...change, uid })).toBe(currentChangeId(app, app));
  expect(idOf({ ...change, uid: undefined, whole: undefined })).toBe(currentChangeId(app, undefined));
  expect(idOf({ ...change, uid, changeId })).toBe(changeId);
});

it('keeps the ids of earlier changes whose contents the sources still have', () => {
  const theme = sourceRecord({ name: 'theme' });
  const sources = { get: ({ name }: SourceRef) => (name === 'theme' ? theme : sourceRecord()), namesIn: () => [] };
  const id = currentChangeId(theme, theme) ?? '';
  const note = lastRestartAnnotation('c0ffee00', 0, [], { earlierChangeIds: [id, 'deadbeef'] });
  const { workload } = restartOf({
    uses: ['cm/app', 'cm/theme'],
    annotations: { ...auto, 'reroll.dev/last-restart': note },
  });
  const options = {
    clock: new FakeClock(),
    random: systemRandom,
    sources,
    defaults: { strategy: 'env-vars' },
  } as const;
  const { changeIds, earlierChangeIds, annotations } = describeRestart(options, workload, baselineOf(1), [changeOf()]);
  expect(changeIds).toEqual([changeOf().changeId, id]);
  expect(earlierChangeIds).toEqual([id]);
  expect(readLastRestart(annotations['reroll.dev/last-restart'])?.changeIds).toEqual(changeIds);
});
