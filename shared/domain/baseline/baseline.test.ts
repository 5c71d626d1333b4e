import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  owingBaseline,
  formatBaseline,
  revertedBaseline,
  withoutDoubt,
  withoutUid,
  isWrittenFor,
  parseBaseline,
  sameSources,
  UnreadableBaselineError,
  type Baseline,
} from './baseline';
import { inDoubt, type Recorded } from './recorded';

const digest = 'AAAAAAAAAAAAAAAAAAAAAA';
const other = 'BBBBBBBBBBBBBBBBBBBBBB';

const anyDigest = fc.constantFrom(digest, other, '-');
const anyKeys = fc
  .dictionary(fc.stringMatching(/^[\w.-]{1,20}$/), anyDigest)
  .map((keys) => new Map(Object.entries(keys)));
/** The id of a list follows from its text; older versions recorded only the id. */
const anyFilter = fc.stringMatching(/^[\w-]{8}$/).map((filter) => ({ filter, list: `!${filter}` }));
const anyCertain: fc.Arbitrary<Recorded> = fc.oneof(
  anyDigest,
  anyKeys,
  fc.record({ digests: fc.constantFrom(digest, other), parsed: anyDigest }),
  fc.tuple(anyKeys, anyFilter).map(([digests, filter]) => ({ digests, ...filter })),
  fc.tuple(anyKeys, anyFilter, anyKeys).map(([digests, filter, parsed]) => ({ digests, ...filter, parsed })),
);
const anyRecorded = fc.oneof(anyCertain, anyCertain.map(inDoubt));
const anyBaseline: fc.Arbitrary<Baseline> = fc.record(
  {
    sequence: fc.nat(),
    keyId: fc.stringMatching(/^[\w-]{8}$/),
    uid: fc.uuid(),
    sources: fc
      .dictionary(fc.stringMatching(/^(cm|secret)\/[a-z.-]{1,20}$/), anyRecorded)
      .map((sources) => new Map(Object.entries(sources))),
  },
  { requiredKeys: ['sequence', 'keyId', 'sources'] },
);

describe('baseline', () => {
  it('is compact, sorted JSON', () => {
    const sources = new Map<string, Recorded>([
      [
        'secret/db',
        new Map([
          ['user', '-'],
          ['password', digest],
        ]),
      ],
      ['cm/gone', '-'],
      ['cm/app', other],
    ]);
    expect(formatBaseline({ sequence: 3, keyId: 'abcdefgh', uid: 'u-1', sources })).toBe(
      `{"v":1,"n":3,"key":"abcdefgh","uid":"u-1","sources":{"cm/app":"${other}","cm/gone":"-","secret/db":{"password":"${digest}","user":"-"}}}`,
    );
  });

  it('lists what is in doubt, and older versions read the rest', () => {
    const sources = new Map([
      ['secret/db', inDoubt(new Map([['pw', digest]]))],
      ['cm/app', inDoubt(other)],
      ['cm/extra', other],
    ]);
    expect(JSON.parse(formatBaseline({ sequence: 3, keyId: 'abcdefgh', sources }))).toEqual({
      ...{ v: 1, n: 3, key: 'abcdefgh', inDoubt: ['cm/app', 'secret/db'] },
      sources: { 'cm/app': other, 'cm/extra': other, 'secret/db': { pw: digest } },
    });
    const certain = new Map(sources).set('cm/app', other);
    expect(sameSources(sources, certain)).toBe(false);
  });

  it('has no doubt after a restart, and is else the same', () => {
    fc.assert(
      fc.property(anyCertain, (recorded) => {
        fc.pre(recorded !== '-' && recorded !== digest);
        const doubted = { sequence: 1, keyId: 'abcdefgh', sources: new Map([['cm/app', inDoubt(recorded)]]) };
        expect(withoutDoubt(doubted).sources.get('cm/app')).toEqual(recorded);
      }),
    );
  });

  it('is parsed as it was written', () => {
    fc.assert(
      fc.property(anyBaseline, (baseline) => {
        const read = parseBaseline(formatBaseline(baseline));
        expect(read).toEqual(baseline);
        expect(sameSources(read.sources, baseline.sources)).toBe(true);
        expect(formatBaseline(read)).toBe(formatBaseline(baseline));
      }),
    );
  });

  const details = new Map<string, Recorded>([
    [
      'cm/app',
      {
        ...{ digests: new Map([['app.yaml', digest]]), filter: 'f1lter-1', list: '*.yaml' },
        parsed: new Map([['app.yaml', other]]),
      },
    ],
    ['cm/log', { digests: new Map(), filter: 'f1lter-1', list: '*.yaml' }],
    ['cm/web', { digests: digest, parsed: other }],
    ['cm/old', digest],
  ]);
  const detailed = formatBaseline({ sequence: 3, keyId: 'abcdefgh', sources: details });

  it('tells beside the digests which keys they are of, and what is the same when parsed', () => {
    expect(JSON.parse(detailed)).toEqual({
      ...{ v: 1, n: 3, key: 'abcdefgh' },
      sources: { 'cm/app': { 'app.yaml': digest }, 'cm/log': {}, 'cm/old': digest, 'cm/web': digest },
      filters: { 'cm/app': 'f1lter-1', 'cm/log': 'f1lter-1' },
      lists: { 'f1lter-1': '*.yaml' },
      parsed: { 'cm/app': { 'app.yaml': other }, 'cm/web': other },
    });
  });

  it('of an older version tells only the ids of lists, and records the same', () => {
    const older = parseBaseline(detailed.replace(/"lists":[^}]*},/, ''));
    expect(older.sources.get('cm/log')).toEqual({ digests: new Map(), filter: 'f1lter-1' });
    expect(sameSources(older.sources, details)).toBe(true);
  });

  it('is read without what another version tells beside the digests', () => {
    const changed = detailed
      .replace('"cm/app":"f1lter-1"', '"cm/app":{"id":"f1lter-1"}')
      .replace('"f1lter-1":"*.yaml"', '"f1lter-1":["*.yaml"]')
      .replace(`"cm/web":"${other}"`, '"cm/web":{}');
    expect(parseBaseline(changed).sources).toEqual(
      new Map<string, Recorded>([
        ['cm/app', { digests: new Map([['app.yaml', digest]]), parsed: new Map([['app.yaml', other]]) }],
        ['cm/log', { digests: new Map(), filter: 'f1lter-1' }],
        ['cm/web', digest],
        ['cm/old', digest],
      ]),
    );
    const older = detailed.replace(/,"filters".*$/, '}');
    expect(parseBaseline(older).sources).toEqual(
      new Map<string, Recorded>([
        ['cm/app', new Map([['app.yaml', digest]])],
        ['cm/log', new Map()],
        ['cm/web', digest],
        ['cm/old', digest],
      ]),
    );
  });

  it.each([
    ['u-1', 'u-1', true],
    ['u-1', 'u-2', false],
    ['u-1', undefined, false],
    [undefined, 'u-2', true],
  ])('written for uid %s belongs to the object with uid %s: %s', (uid, objectUid, expected) => {
    const baseline = { sequence: 1, keyId: 'abcdefgh', sources: new Map(), ...(uid !== undefined && { uid }) };
    expect(isWrittenFor(baseline, objectUid)).toBe(expected);
    expect(isWrittenFor(withoutUid(baseline), objectUid)).toBe(true);
  });

  it.each([
    ['a uid of another type', '{"v":1,"n":1,"key":"abcdefgh","uid":1,"sources":{}}', 'its "uid" is not a string'],
    ['no JSON', '{"v":1', 'it is not JSON'],
    ['no object', '[]', 'it is not a JSON object'],
    ['a later version', '{"v":2}', 'its version is not 1'],
    ['no sequence', '{"v":1,"key":"k","sources":{}}', 'its "n" is not a whole number'],
    ['a negative sequence', '{"v":1,"n":-1,"key":"k","sources":{}}', 'its "n" is not a whole number'],
    [
      'a sequence too large to increment',
      '{"v":1,"n":9007199254740991,"key":"k","sources":{}}',
      'its "n" is not a whole number',
    ],
    ['no key id', '{"v":1,"n":1,"sources":{}}', 'its "key" is not a string'],
    ['no sources', '{"v":1,"n":1,"key":"k","sources":[]}', 'its "sources" is not an object'],
    ['a cut digest', '{"v":1,"n":1,"key":"k","sources":{"cm/a":"AAAA"}}', 'its entry "cm/a" is not a digest'],
    ['a number for a digest', '{"v":1,"n":1,"key":"k","sources":{"cm/a":{"k":1}}}', 'its entry "cm/a" is not a digest'],
  ])('rejects %s and reports what is wrong', (_what, text, message) => {
    expect(() => parseBaseline(text)).toThrow(UnreadableBaselineError);
    expect(() => parseBaseline(text)).toThrow(message);
  });

  it('throws only its own error, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseBaseline(text);
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableBaselineError);
        }
      }),
    );
  });
});

describe('sameSources', () => {
  it.each<[boolean, string, Recorded | undefined, Recorded | undefined]>([
    [true, 'equal digests', digest, digest],
    [false, 'another digest', digest, other],
    [false, 'whole against keys', digest, new Map([['a', digest]])],
    [true, 'equal keys', new Map([['a', digest]]), new Map([['a', digest]])],
    [false, 'another digest of a key', new Map([['a', digest]]), new Map([['a', other]])],
    [
      false,
      'one key less',
      new Map([
        ['a', digest],
        ['b', digest],
      ]),
      new Map([['a', digest]]),
    ],
    [
      false,
      'one key more',
      new Map([['a', digest]]),
      new Map([
        ['a', digest],
        ['b', digest],
      ]),
    ],
    [false, 'a source less', digest, undefined],
    [false, 'a source more', undefined, digest],
  ])('%s: %s', (same, _what, left, right) => {
    const sources = (recorded: Recorded | undefined) => new Map(recorded === undefined ? [] : [['cm/a', recorded]]);
    expect(sameSources(sources(left), sources(right))).toBe(same);
  });
});

describe('owing', () => {
  const written: Baseline = {
    sequence: 4,
    keyId: 'key-1234',
    sources: new Map<string, Recorded>([
      ['cm/app', other],
      ['cm/kept', other],
    ]),
  };
  const before: Baseline = { sequence: 3, keyId: 'key-1234', sources: new Map<string, Recorded>([['cm/app', digest]]) };

  it('is the next baseline, with the previous state of these sources and the written state of the others', () => {
    const next = revertedBaseline(written, before, ['cm/app']);
    expect(next.sequence).toBe(5);
    expect([...next.sources]).toEqual([
      ['cm/app', digest],
      ['cm/kept', other],
    ]);
  });

  it('is what the source was when the workload came to use it, if that is known', () => {
    const { sequence, sources } = owingBaseline(written, undefined, [{ id: 'cm/app', former: digest }]);
    expect([sequence, ...sources]).toEqual([4, ['cm/app', digest], ['cm/kept', other]]);
  });

  it.each<[string, Baseline | undefined]>([
    ['nothing was recorded', undefined],
    ['another key was in use', { ...before, keyId: 'key-0000' }],
    ['the source was not recorded', { ...before, sources: new Map() }],
  ])('records a state that differs from the current one if %s before', (_what, former) => {
    const recorded = revertedBaseline(written, former, ['cm/app']).sources.get('cm/app');
    expect(recorded).not.toBe(other);
    expect(parseBaseline(formatBaseline(revertedBaseline(written, former, ['cm/app']))).sources.get('cm/app')).toBe(
      recorded,
    );
  });
});
