import { describe, expect, it } from '@jest/globals';
import { parseSourceId, sourceId, sourceKinds } from './source';

describe('parseSourceId', () => {
  it.each(sourceKinds)('parses what sourceId writes for a %s', (kind) => {
    expect(parseSourceId(sourceId(kind, 'app.conf'))).toEqual({ kind, name: 'app.conf' });
  });

  it.each(['pod/app', 'app', ''])('recognises no kind in %j', (id) => {
    expect(parseSourceId(id)).toBeUndefined();
  });
});
