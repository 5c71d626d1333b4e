import { describe, expect, it } from '@jest/globals';
import { contentFieldsOf, contentPatch, isSameContent, keyChanges } from './content-fields';

const before = contentFieldsOf({
  data: { color: 'red', size: '1', moved: 'YQ==', same: 'x' },
  binaryData: { icon: 'AAEC' },
});
const after = contentFieldsOf({ data: { color: 'blue', same: 'x', added: '' }, binaryData: { moved: 'YQ==' } });

describe('keyChanges', () => {
  it('names keys, and none of their values', () => {
    expect(keyChanges(before, after)).toEqual({
      added: ['added'],
      removed: ['icon', 'size'],
      changed: ['color', 'moved'],
    });
  });

  it('of the same content are none', () => {
    expect(isSameContent(before, contentFieldsOf(before))).toBe(true);
    expect(isSameContent(before, after)).toBe(false);
  });

  it('knows keys that an object has from its prototype', () => {
    const odd = contentFieldsOf(JSON.parse('{"data": {"__proto__": "x", "constructor": "y"}}'));
    expect(keyChanges(contentFieldsOf({}), odd).added).toEqual(['__proto__', 'constructor']);
    expect(contentPatch(odd, contentFieldsOf({}))['data']).toEqual(
      JSON.parse('{"__proto__": null, "constructor": null}'),
    );
    expect(contentPatch(contentFieldsOf({}), odd)['data']).toEqual(
      JSON.parse('{"__proto__": "x", "constructor": "y"}'),
    );
  });
});

describe('contentPatch', () => {
  it('writes what differs, and removes what is too much', () => {
    expect(contentPatch(before, after)).toEqual({
      data: { color: 'blue', added: '', size: null, moved: null },
      binaryData: { moved: 'YQ==', icon: null },
    });
  });

  it('leaves out a field in which nothing differs', () => {
    expect(contentPatch(before, { ...before, data: { ...before.data, color: 'blue' } })).toEqual({
      data: { color: 'blue' },
    });
  });
});

describe('contentFieldsOf', () => {
  it.each([[undefined], [{}], [{ data: null }], [{ data: { number: 1 } }], [{ data: 'text' }]])(
    'takes %j for an object without content',
    (object) => expect(contentFieldsOf(object)).toEqual({ data: {}, binaryData: {} }),
  );
});
