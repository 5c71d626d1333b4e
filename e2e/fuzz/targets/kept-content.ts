import { isObject, sameJson } from '../../../shared/domain/kubernetes/json-value';
import { contentFieldsOf, contentPatch, isSameContent } from '../../../shared/domain/rollback/content-fields';
import {
  keptDraft,
  keptMac,
  openKept,
  sealedAnnotations,
  unverifiedNote,
  type StoredSource,
} from '../../../shared/domain/rollback/kept-object';
import { whyNotRestorable } from '../../../shared/domain/rollback/restorable';
import { json } from '../samples';
import { jsonOf, promise, secretMarker, type Target } from '../target';

const key = Buffer.alloc(32, 7);
const note = { change: '0123abcd', at: '2026-11-25T22:00:00.000Z', version: '7', rolledBack: ['0123abcd'] };
const fields = contentFieldsOf({ data: { a: secretMarker, b: '' }, binaryData: { c: 'AAEC' } });
const source: StoredSource = {
  metadata: { name: 'app', namespace: 'shop', uid: 'u', resourceVersion: '7' },
  ...fields,
};
const claim = { role: 'bad', kind: 'ConfigMap', source } as const;
const draft = keptDraft({ ...claim, note, ignoreKey: 'reloader.stakater.com/ignore' }) as StoredSource;
const annotations = {
  ...draft.metadata.annotations,
  ...sealedAnnotations(keptMac(key, { ...claim, uid: 'kept', note, fields }), note),
};
const kept = { ...draft, metadata: { ...draft.metadata, uid: 'kept', resourceVersion: '8', annotations } };

/** An object beside a source, as whoever may write there may have made it. */
export const target: Target = {
  seeds: [json(kept), json(draft), json(source), json({ ...source, immutable: true, type: 'Opaque' })],
  run: (input) => {
    const object = jsonOf(input);
    const said = whyNotRestorable(object);
    promise(said?.includes(secretMarker) !== true, 'no reason shows a content');
    const found = contentFieldsOf(object);
    promise(
      isSameContent(found, fields) === (json(contentPatch(found, fields)) === '{}'),
      'a patch is of what differs',
    );
    const metadata = isObject(object) && isObject(object['metadata']) ? object['metadata'] : {};
    // What an API server answers has these, and annotations are texts.
    const own = isObject(metadata['annotations']) ? metadata['annotations'] : {};
    const texts = Object.fromEntries(Object.entries(own).filter(([, value]) => typeof value === 'string'));
    const uid = typeof metadata['uid'] === 'string' ? metadata['uid'] : '';
    const stored = {
      ...(isObject(object) ? object : {}),
      metadata: { ...metadata, name: 'x', resourceVersion: '1', uid, annotations: texts as Record<string, string> },
    } as StoredSource;
    unverifiedNote(stored);
    const opened = openKept(key, claim, stored);
    if (!opened) return;
    promise(sameJson(opened.note, note) && isSameContent(opened.fields, fields), 'only what was kept is opened');
  },
};
