import { beforeEach, describe, expect, it } from '@jest/globals';
import { at, contentOf, digester } from '../../shared/domain/plan/records.fixture';
import { ContentDigester, type ContentDigest } from '../../shared/domain/sources/content-digest';
import { hasContent, type SourceRecord } from '../../shared/domain/sources/source';
import type { CsiClass, CsiPodStatus } from '../../shared/kube/sources/csi-decoder';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { CsiRotations } from './csi-rotations';

let clock: FakeClock;
/** The records that the source index received. */
let told: SourceRecord[];
/** The keys that the source index was told are gone. */
let gone: string[];
let synced: string[];
let rotations: CsiRotations;

beforeEach(() => {
  clock = new FakeClock();
  told = [];
  gone = [];
  synced = [];
  const sink = {
    upsert: (record: SourceRecord) => void told.push(record),
    remove: (key: string) => void gone.push(key),
    keys: () => [],
    synced: () => undefined,
  };
  rotations = new CsiRotations({ clock, sources: { sink: () => sink } });
});

interface Shown {
  readonly pod?: string;
  readonly namespace?: string;
  readonly className?: string;
  readonly uid?: string;
  /** Which version is mounted; null: none yet. */
  readonly version: string | null;
  /** Seconds after the start of the clock. */
  readonly created?: number;
  /** The same for the write of the status; null: its time is not known. */
  readonly written?: number | null;
  readonly origin?: 'list' | 'watch';
}

/** The status of a pod. By default it is pod `a`, created and written ten minutes ago. */
function statusOf(shown: Shown, contents: (version: string) => ContentDigest): CsiPodStatus {
  const { pod = 'a', namespace = 'shop', className = 'vault', version, created = -600 } = shown;
  const { uid = `uid-${pod}`, written = created } = shown;
  return {
    ...{ namespace, name: `${pod}-vault`, uid, resourceVersion: '7', className, createdAtMs: at(created) },
    statusWrittenAtMs: written === null ? undefined : at(written),
    content: version === null ? undefined : contents(version),
  };
}

function show(shown: Shown, contents: (version: string) => ContentDigest = mounted): void {
  const sink = rotations.statusSink(undefined, () => undefined);
  sink.upsert(statusOf(shown, contents), shown.origin ?? 'watch');
  if (shown.origin === 'list') sink.synced();
}

/** Shows all statuses in one list. */
function list(...statuses: readonly Shown[]): void {
  const sink = rotations.statusSink(undefined, () => undefined);
  for (const shown of statuses) sink.upsert(statusOf(shown, mounted), 'list');
  sink.synced();
}

function mounted(version: string): ContentDigest {
  return contentOf({ pw: version }, 'SecretProviderClass', 'vault');
}

function showClass(options: Partial<CsiClass> = {}): void {
  const csiClass = { namespace: 'shop', name: 'vault', ignore: false, match: false, ...options };
  rotations.classSink(undefined, () => undefined).upsert(csiClass, 'watch');
}

function removeStatus(uid?: string): void {
  rotations.statusSink(undefined, () => undefined).remove('shop/a-vault', uid);
}

/** The rotations that the source index received: `2 at 20 s` is version 2, written at 20 s. */
function rotationsTold(): readonly string[] {
  return told.map((record) => {
    const { writtenAtMs = NaN } = record;
    const version = ['1', '2', '3'].find((known) => hasContent(record) && record.content.equals(mounted(known)));
    return `${version ?? 'other'} at ${(writtenAtMs - at(0)) / 1000} s`;
  });
}

describe('a rotation', () => {
  it.each<[string, readonly Shown[], readonly string[]]>([
    ['is other versions than before', [{ version: '1' }, { version: '2', written: 20 }], ['2 at 20 s']],
    ['is not the same versions again', [{ version: '1' }, { version: '1', written: 20 }], []],
    ['is not what completes a status that is new', [{ version: '2', created: -600, written: -595 }], []],
    ['is a later write of a status that is new to us', [{ version: '2', written: -594 }], ['2 at -594 s']],
    ['is not a status that is new to us, of whose writes no time is kept', [{ version: '2', written: null }], []],
    ['is not the first versions of a status', [{ version: null }, { version: '1', written: 20 }], []],
    [
      'may hide behind first versions that a list shows',
      [{ version: null }, { version: '1', written: 20, origin: 'list' }],
      ['1 at 20 s'],
    ],
    [
      'does not hide behind those that a list shows of a status just created',
      [
        { version: null, created: 0 },
        { version: '1', created: 0, written: 5, origin: 'list' },
      ],
      [],
    ],
    [
      'is not a pod that has the name of one before',
      [{ version: '1' }, { version: '2', uid: 'second', created: 20, written: 21 }],
      [],
    ],
    ['is not a pod that mounts another class', [{ version: '1', className: 'other' }, { version: '2' }], []],
    [
      'is not what no class is said to be mounted of',
      [
        { version: '1', className: '' },
        { version: '2', className: '', written: 20 },
      ],
      [],
    ],
    ['is not the loss of all versions', [{ version: '1' }, { version: null, written: 20 }], []],
    [
      'is told of by each pod, and is the same',
      [
        { version: '1' },
        { version: '1', pod: 'b' },
        { version: '2', written: 20 },
        { version: '2', pod: 'b', written: 21 },
      ],
      ['2 at 20 s'],
    ],
    [
      'is not a pod that lags behind the newest',
      [
        { version: '1' },
        { version: '1', pod: 'b' },
        { version: '3', written: 30 },
        { version: '2', pod: 'b', written: 29 },
      ],
      ['3 at 30 s'],
    ],
    [
      'counts that comes in the same second as another: which was first is not known',
      [
        { version: '1' },
        { version: '1', pod: 'b' },
        { version: '2', written: 30 },
        { version: '3', pod: 'b', written: 30 },
      ],
      ['2 at 30 s', '3 at 30 s'],
    ],
  ])('%s', (_what, statuses, expected) => {
    for (const status of statuses) show(status);
    expect(rotationsTold()).toEqual(expected);
  });

  describe.each([
    ['is as old as the first write that shows it', [10, 20, 30], undefined, '2 at 10 s'],
    ['came after another one that was shown since', [30, 40], 20, '2 at 30 s'],
    ['came a second time if another one was shown in between', [10, 40], 20, '2 at 40 s'],
  ])('in a list %s', (_what, shownAt, otherAt, expected) => {
    const showing = shownAt.map((written, index) => ({ version: '2', pod: `b${index}`, written }));
    const all = otherAt === undefined ? showing : [...showing, { version: '1', pod: 'a', written: otherAt }];
    const [first, ...rest] = all;

    it.each([
      ['as they come', all],
      ['the other way round', all.toReversed()],
      ['the first one last', [...rest, first!]],
    ])('%s', (_order, statuses) => {
      list(...statuses);
      expect(rotationsTold()).toEqual([expected]);
    });
  });

  it('of which no time is kept is dated by our own clock, in whole seconds', async () => {
    show({ version: '1', written: null });
    await clock.advance(20_900);
    show({ version: '2', written: null });
    expect(rotationsTold()).toEqual(['2 at 20 s']);
  });

  it('is of the class in its namespace alone', () => {
    show({ version: '1' });
    show({ version: '1', namespace: 'bank' });
    show({ version: '2', written: 30 });
    show({ version: '3', namespace: 'bank', written: 20 });
    expect(told.map(({ namespace }) => namespace)).toEqual(['shop', 'bank']);
  });

  it('makes a source, whose one life begins with the first of them', () => {
    show({ version: '1' });
    show({ version: '2', written: 20 });
    const source = {
      ...{ kind: 'SecretProviderClass', namespace: 'shop', name: 'vault', uid: 'shop/vault', resourceVersion: '7' },
      ...{ createdAtMs: at(20), ignore: false, match: false },
    };
    show({ version: '3', written: 30, pod: 'b' });
    expect(told).toEqual([
      { ...source, writtenAtMs: at(20), content: mounted('2') },
      { ...source, writtenAtMs: at(30), content: mounted('3') },
    ]);
  });
});

describe('a status that goes', () => {
  it.each<[string, string | undefined, readonly string[]]>([
    ['is forgotten', 'uid-a', []],
    ['is forgotten, whatever it was', undefined, []],
    ['is remembered where it was a former one by that name, told late', 'former', ['2 at -598 s']],
  ])('%s', (_what, uid, expected) => {
    show({ version: '1' });
    removeStatus(uid);
    expect(gone).toEqual([]);
    show({ version: '2', written: -598 });
    expect(rotationsTold()).toEqual(expected);
  });

  it.each<[string, number, readonly string[]]>([
    ['was written since, it was rotated and then back', 30, ['2 at 20 s', '1 at 30 s']],
    ['lags behind, it was not', -600, ['2 at 20 s']],
  ])('if it shows what it did before the newest rotation, and %s', (_what, written, expected) => {
    show({ version: '1', pod: 'b', written: -600 });
    show({ version: '1' });
    show({ version: '2', written: 20 });
    show({ version: '1', pod: 'b', written, origin: 'list' });
    expect(rotationsTold()).toEqual(expected);
  });

  it.each<[string, number, 'list' | 'watch', readonly string[]]>([
    ['was written unseen', 30, 'list', ['1 at 30 s']],
    ['was only completed', -596, 'list', []],
    ['was written as a watch shows it, without a rotation', 30, 'watch', []],
  ])('if nothing was rotated yet, and a status that shows the same %s', (_what, written, origin, expected) => {
    show({ version: '1', created: -600, written: -599 });
    show({ version: '1', created: -600, written, origin });
    expect(rotationsTold()).toEqual(expected);
  });

  it('takes no rotation with it', () => {
    showClass();
    show({ version: '1' });
    show({ version: '2', written: 20 });
    removeStatus();
    expect(gone).toEqual([]);
    show({ version: '1', pod: 'b', written: 10 });
    expect(rotationsTold()).toEqual(['2 at 20 s']);
  });

  it('with all others, for the watches have ended, leaves the newest rotation', () => {
    show({ version: '1', pod: 'b' });
    show({ version: '1' });
    show({ version: '2', written: 20 });
    rotations.forgetStatuses();
    expect([...rotations.statusSink(undefined, () => undefined).keys()]).toEqual([]);
    show({ version: '3', pod: 'b', written: -596 });
    show({ version: '2', written: 21, origin: 'list' });
    expect(rotationsTold()).toEqual(['2 at 20 s']);
  });
});

describe('a list after the watch was closed', () => {
  it.each<[string, Shown, readonly string[]]>([
    [
      'forgets a rotation if only a pod that started later is left, with other versions',
      { version: '3', created: 40 },
      ['shop/vault'],
    ],
    ['keeps it for a pod that started later with the same versions', { version: '2', created: 40 }, []],
    ['keeps it for a pod that started before and lags behind', { version: '1', created: 10 }, []],
    ['keeps it for a pod that has mounted nothing yet', { version: null, created: 40 }, []],
    ['keeps it for a pod of another class', { version: '3', created: 40, className: 'other' }, []],
    ['keeps it for a status without the time of its write', { version: '3', created: 40, written: null }, []],
  ])('%s', (_what, left, expected) => {
    showClass();
    show({ version: '1' });
    show({ version: '2', written: 20 });
    removeStatus();
    list({ pod: 'b', ...left });
    expect(gone).toEqual(expected);
  });

  it('keeps a rotation that another pod still shows', () => {
    show({ version: '1' });
    show({ version: '2', written: 20 });
    list({ version: '2', written: 20 }, { pod: 'b', version: '3', created: 40 });
    expect(gone).toEqual([]);
  });

  it.each<[string, (statuses: readonly Shown[]) => readonly Shown[]]>([
    ['first', (statuses) => statuses],
    ['last', (statuses) => statuses.toReversed()],
  ])('dates a rotation back to the newest one, if it shows the pod with it %s', (_where, inOrder) => {
    show({ version: '1' });
    show({ version: '2', written: 20 });
    show({ version: '2', pod: 'b' });
    list(
      ...inOrder([
        { version: '2', written: 40 },
        { version: '3', pod: 'b', written: 30 },
      ]),
    );
    expect(rotationsTold()).toEqual(['2 at 20 s', '2 at 40 s']);
  });

  it('of one namespace forgets nothing of another', () => {
    showClass();
    show({ version: '1' });
    show({ version: '2', written: 20 });
    removeStatus();
    show({ pod: 'b', version: '3', created: 40 });
    rotations.statusSink('bank', () => undefined).synced();
    expect(gone).toEqual([]);
    rotations.statusSink('shop', () => undefined).synced();
    expect(gone).toEqual(['shop/vault']);
  });
});

describe('a class', () => {
  function rotate(): void {
    show({ version: '1' });
    show({ version: '2', written: 20 });
  }

  it('that was never rotated is no source, and none goes with it', () => {
    showClass({ ignore: true });
    show({ version: '1' });
    rotations.classSink(undefined, () => undefined).remove('shop/vault');
    expect([told, gone]).toEqual([[], []]);
  });

  it.each(['ignore', 'match'] as const)('tells whether it is to %s, before and after a rotation', (flag) => {
    showClass({ [flag]: true });
    rotate();
    showClass();
    expect(told.map((record) => record[flag])).toEqual([true, false]);
    expect(rotationsTold()).toEqual(['2 at 20 s', '2 at 20 s']);
  });

  it('that is seen in the middle of a list of statuses does not date its rotation by half of them', () => {
    const sink = rotations.statusSink(undefined, () => undefined);
    sink.upsert(statusOf({ version: '2', written: 20 }, mounted), 'list');
    showClass();
    expect(told).toEqual([]);
    rotations.statusSink('bank', () => undefined).synced();
    expect(told).toEqual([]);
    sink.upsert(statusOf({ version: '2', pod: 'b', written: 10 }, mounted), 'list');
    sink.synced();
    showClass({ match: true });
    expect(rotationsTold()).toEqual(['2 at 10 s', '2 at 10 s']);
  });

  it('that goes takes its source with it; one that comes again begins a life and has its own switches', () => {
    showClass({ ignore: true });
    rotate();
    rotations.classSink(undefined, () => undefined).remove('shop/vault');
    expect(gone).toEqual(['shop/vault']);
    show({ version: '3', written: 40 });
    expect(told.at(-1)).toMatchObject({ createdAtMs: at(40), ignore: false });
  });
});

describe('a class that does not exist', () => {
  function rotate(pod: string): void {
    show({ pod, version: '1' });
    show({ pod, version: '2', written: 20 });
  }

  it('is a source until the last status that names it goes', () => {
    for (const pod of ['a', 'b']) rotate(pod);
    show({ pod: 'b', version: '3', created: 40, className: 'other' });
    expect(gone).toEqual([]);
    removeStatus();
    expect(gone).toEqual(['shop/vault']);
  });

  it('is a source until the last status that names it names another one', () => {
    rotate('a');
    show({ version: '2', className: 'other' });
    expect(gone).toEqual(['shop/vault']);
  });

  it('is none after a list in which no status names it', () => {
    rotate('a');
    rotations.forgetStatuses();
    list({ pod: 'b', version: '3', className: 'other' });
    expect(gone).toEqual(['shop/vault']);
  });

  it('stays a source if it is seen before its last status goes', () => {
    rotate('a');
    showClass();
    removeStatus();
    expect(gone).toEqual([]);
  });
});

it('what a relist compares with is what was seen of a namespace, or of all', () => {
  show({ version: '1' });
  show({ version: null, namespace: 'bank' });
  showClass();
  showClass({ namespace: 'bank', name: 'kms' });
  const seen = (namespace?: string) => [
    [...rotations.statusSink(namespace, () => undefined).keys()],
    [...rotations.classSink(namespace, () => undefined).keys()],
  ];
  expect(seen('shop')).toEqual([['shop/a-vault'], ['shop/vault']]);
  expect(seen('sho')).toEqual([[], []]);
  expect(seen()).toEqual([
    ['shop/a-vault', 'bank/a-vault'],
    ['shop/vault', 'bank/kms'],
  ]);
});

it('complete lists are told to who asked for them', () => {
  rotations.statusSink(undefined, () => void synced.push('statuses')).synced();
  rotations.classSink(undefined, () => void synced.push('classes')).synced();
  expect(synced).toEqual(['statuses', 'classes']);
});

describe('under another digest key', () => {
  const both = new ContentDigester(Buffer.alloc(32, 2), digester);
  const underBoth = (version: string): ContentDigest =>
    both.digest({ kind: 'SecretProviderClass', namespace: 'shop', name: 'vault' }, [['pw', Buffer.from(version)]]);

  beforeEach(() => {
    show({ version: '1', pod: 'b' });
    show({ version: '1' });
    show({ version: '2', written: 20 });
    told.length = 0;
  });

  it('the newest rotation is told again, with the digest that is to be recorded, once and as old as it is', () => {
    show({ version: '2', written: 20, origin: 'list' }, underBoth);
    show({ version: '2', written: 20, origin: 'list' }, underBoth);
    expect(rotationsTold()).toEqual(['2 at 20 s']);
    expect(told).toMatchObject([{ createdAtMs: at(20), content: { former: mounted('2') } }]);
  });

  it('what lags behind the newest rotation is not told', () => {
    show({ version: '1', pod: 'b', origin: 'list' }, underBoth);
    expect(told).toEqual([]);
  });

  it('another version is a rotation as ever', () => {
    show({ version: '3', written: 30, origin: 'list' }, underBoth);
    expect(rotationsTold()).toEqual(['3 at 30 s']);
  });
});
