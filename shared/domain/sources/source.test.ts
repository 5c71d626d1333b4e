import { describe, expect, it } from '@jest/globals';
import { parseSourceId, sourceId, sourceKey, sourceKinds, splitSourceKey } from './source';

describe('parseSourceId', () => {
  it.each(sourceKinds)('parses what sourceId writes for a %s', (kind) => {
    expect(parseSourceId(sourceId({ kind, name: 'app.conf' }))).toEqual({ kind, name: 'app.conf' });
  });

  it.each(['pod/app', 'app', ''])('recognises no kind in %j', (id) => {
    expect(parseSourceId(id)).toBeUndefined();
  });
});

describe('sourceKey', () => {
  it('names kind, namespace and name', () => {
    expect(sourceKey({ kind: 'ConfigMap', namespace: 'shop', name: 'app.conf' })).toBe('ConfigMap shop/app.conf');
  });

  it.each(sourceKinds)('is taken apart again for a %s', (kind) => {
    const source = { kind, namespace: 'shop', name: 'app.conf' };
    expect(splitSourceKey(sourceKey(source))).toEqual(source);
  });
});
