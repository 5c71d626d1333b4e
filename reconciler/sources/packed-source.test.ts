import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ContentDigester } from '../../shared/domain/sources/content-digest';
import { PackedSource } from './packed-source';
import {
  appConfig,
  at,
  contentOf,
  digester,
  listedRecord,
  sourceRecord,
} from '../../shared/domain/plan/records.fixture';
import { noPast, type SourceEntry } from './source-entry';

const uid = '0f8fad5b-d9cb-469f-a165-70867728950e';

/** An entry as after a list, for a source that has not changed since. */
function atRest(record: Parameters<typeof sourceRecord>[0] = {}, options: Partial<SourceEntry> = {}): SourceEntry {
  const source = sourceRecord({ uid, ...record });
  const atRest = {
    fromMs: at(0),
    ignoreSinceMs: 0,
    matchSinceMs: 0,
    keysSinceMs: 0,
    isRead: false,
    former: noPast,
    isFirstForgotten: false,
  };
  return { record: source, ...atRest, ...options };
}

function unpacked(entry: SourceEntry): SourceEntry | undefined {
  return PackedSource.of(entry)?.entry(appConfig);
}

it('returns what was packed', () => {
  const time = fc.integer({ min: 0, max: 0xffff_fffe }).map((seconds) => seconds * 1000);
  fc.assert(
    fc.property(
      fc.record({
        uid: fc.uuid(),
        resourceVersion: fc.nat({ max: 99_999_999_999_999 }).map(String),
        createdAtMs: time,
        writtenAtMs: fc.option(time, { nil: undefined }),
        ignore: fc.boolean(),
        match: fc.boolean(),
        data: fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { maxKeys: 5 }),
      }),
      time,
      fc.boolean(),
      (record, fromMs, isFirstForgotten) => {
        const entry = atRest(record, { fromMs, isFirstForgotten });
        expect(unpacked(entry)).toEqual(entry);
      },
    ),
  );
});

it('returns metadata-only what was metadata-only', () => {
  const flags = fc.record({ ignore: fc.boolean(), match: fc.boolean() });
  fc.assert(
    fc.property(flags, (record) => {
      const entry = { ...atRest(record), record: listedRecord({ uid, ...record }) };
      expect(unpacked(entry)).toEqual(entry);
    }),
  );
  expect(unpacked(atRest({ data: {} }))?.record?.content).toEqual(contentOf({}));
});

const former = [{ content: undefined, fromMs: at(-1), observedMs: 0 }];
const twoDigests = new ContentDigester(Buffer.alloc(32, 2), digester).digest(appConfig, []);

it.each([
  ['that is deleted', atRest({}, { record: undefined })],
  ['with a past', atRest({}, { former })],
  ['that a read has shown', atRest({}, { isRead: true })],
  ['that is no longer ignored', atRest({}, { ignoreSinceMs: at(-1) })],
  ['that began to match', atRest({}, { matchSinceMs: at(-1) })],
  ['digested under two keys', atRest({ content: twoDigests })],
  ['whose uid is no UUID', atRest({ uid: 'uid-app' })],
  ['whose uid has capital letters', atRest({ uid: uid.toUpperCase() })],
  ['whose version is no number', atRest({ resourceVersion: 'abc' })],
  ['whose version begins with a zero', atRest({ resourceVersion: '01' })],
  ['whose version is longer than any of etcd', atRest({ resourceVersion: '999999999999999' })],
  ['whose time is no whole second', atRest({ createdAtMs: at(0) + 1 })],
  ['from before 1970', atRest({ writtenAtMs: -1000 })],
  ['from after 2106', atRest({}, { fromMs: 0xffff_ffff * 1000 })],
])('does not pack one %s', (_what, entry) => expect(unpacked(entry)).toBeUndefined());

it('knows how many bytes it keeps', () => {
  const content = contentOf({ a: '1', b: '2' });
  expect(PackedSource.of(atRest({ content }))?.retainedBytes).toBe(35 + 2 * 16);
  expect(PackedSource.of(atRest({}, { record: listedRecord({ uid }) }))?.retainedBytes).toBe(35);
});
