import { describe, expect, it } from '@jest/globals';
import { contentFieldsOf } from './content-fields';
import {
  keptDraft,
  keptMac,
  keptObjectName,
  openKept,
  sealedAnnotations,
  type KeptKind,
  type KeptRole,
  type StoredSource,
} from './kept-object';

const key = Buffer.alloc(32, 1);
const ignoreKey = 'reloader.stakater.com/ignore';
const note = { change: '0123abcd', at: '2026-11-25T22:00:00.000Z' };

function source(overrides: Partial<StoredSource['metadata']> = {}, fields: object = {}): StoredSource {
  const metadata = { name: 'app', namespace: 'shop', uid: 'u-1', resourceVersion: '7', ...overrides };
  return { metadata, type: 'Opaque', data: { a: 'MQ==', b: 'Mg==' }, ...fields };
}

interface Kept {
  readonly role?: KeptRole;
  readonly kind?: KeptKind;
  readonly of?: StoredSource;
  readonly uid?: string;
}

/** An object as Reroll keeps it for the source. */
function kept({ role = 'good', kind = 'Secret', of = source(), uid = 'kept-1' }: Kept = {}): StoredSource {
  const draft = keptDraft({ role, kind, source: of, note, ignoreKey }) as StoredSource;
  const mac = keptMac(key, { role, kind, source: of, uid, note, fields: contentFieldsOf(draft) });
  const annotations = { ...draft.metadata.annotations, ...sealedAnnotations(mac, note) };
  return { ...draft, metadata: { ...draft.metadata, uid, resourceVersion: '9', annotations } };
}

const open = (object: StoredSource, of = source(), role: KeptRole = 'good', kind: KeptKind = 'Secret') =>
  openKept(key, { role, kind, source: of }, object);

describe('a kept content', () => {
  it('is an immutable copy beside the source, ignored as a source, and deleted with it', () => {
    expect(kept()).toMatchObject({
      kind: 'Secret',
      type: 'Opaque',
      immutable: true,
      data: { a: 'MQ==', b: 'Mg==' },
      metadata: {
        ...{ name: 'app.reroll-good-a24a7f55', namespace: 'shop' },
        labels: { 'reroll.dev/kept': 'good' },
        annotations: { [ignoreKey]: 'true' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'app', uid: 'u-1' }],
      },
    });
  });

  it('has neither labels nor annotations of the source', () => {
    const labelled = source({ labels: { 'argocd.argoproj.io/instance': 'x' }, annotations: { team: 'y' } });
    expect(JSON.stringify(kept({ of: labelled }))).not.toMatch(/argocd|team/);
  });

  it('is opened for its source', () => {
    expect(open(kept())).toEqual({ note, uid: 'kept-1', fields: { data: { a: 'MQ==', b: 'Mg==' }, binaryData: {} } });
  });

  it.each<[string, StoredSource]>([
    ['another name', source({ name: 'other' })],
    ['another namespace', source({ namespace: 'bank' })],
    ['another uid', source({ uid: 'u-2' })],
    ['another type', source({}, { type: 'kubernetes.io/tls' })],
  ])('is not opened for a source of %s', (_what, of) => expect(open(kept(), of)).toBeUndefined());

  it('is not opened in another role, or for another kind', () => {
    expect(open(kept(), source(), 'bad')).toBeUndefined();
    expect(open(kept(), source(), 'good', 'ConfigMap')).toBeUndefined();
  });

  it.each<[string, (object: StoredSource) => StoredSource]>([
    ['a value is another', (object) => ({ ...object, data: { a: 'MQ==', b: 'Mw==' } })],
    ['a key is another', (object) => ({ ...object, data: { a: 'MQ==', c: 'Mg==' } })],
    ['a key is missing', (object) => ({ ...object, data: { a: 'MQ==' } })],
    ['a key is in another field', (object) => ({ ...object, data: { a: 'MQ==' }, binaryData: { b: 'Mg==' } })],
    ['it is a copy of that object', (object) => ({ ...object, metadata: { ...object.metadata, uid: 'kept-2' } })],
    ['it has no MAC', (object) => annotated(object, { 'reroll.dev/kept-mac': '' })],
    ['nothing on it is a MAC', (object) => annotated(object, { 'reroll.dev/kept-mac': undefined })],
    ['it has the MAC of another key', (object) => annotated(object, { 'reroll.dev/kept-mac': 'x'.repeat(43) })],
    ['it tells of another change', (object) => annotated(object, noted({ ...note, change: 'ffffffff' }))],
    ['it tells nothing', (object) => annotated(object, { 'reroll.dev/kept': '{' })],
    ['it tells more than Reroll does', (object) => annotated(object, noted({ ...note, more: 1 }))],
    [
      'it should be gone',
      (object) => ({ ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-11-25T22:00:00Z' } }),
    ],
  ])('is not opened where %s', (_what, forged) => expect(open(forged(kept()))).toBeUndefined());

  it('has a name of its own however long that of the source is', () => {
    const long = keptObjectName('good', source({ name: `${'a'.repeat(231)}.${'b'.repeat(20)}` }));
    expect(long).toBe(`${'a'.repeat(231)}.reroll-good-a24a7f55`);
    expect(keptObjectName('bad', source({ uid: 'u-2' }))).not.toBe(keptObjectName('bad', source()));
  });
});

function annotated(object: StoredSource, annotations: Readonly<Record<string, string | undefined>>): StoredSource {
  const { metadata } = object;
  const all = Object.entries({ ...metadata.annotations, ...annotations }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(all) } };
}

function noted(told: object): Readonly<Record<string, string>> {
  return { 'reroll.dev/kept': JSON.stringify(told) };
}
