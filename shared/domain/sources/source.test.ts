import { describe, expect, it } from '@jest/globals';
import { parseSourceId, sourceId, sourceKinds } from './source';

describe('parseSourceId', () => {
  it.each(sourceKinds)('reads what sourceId writes of a %s', (kind) => {
    expect(parseSourceId(sourceId(kind, 'app.conf'))).toEqual({ kind, name: 'app.conf' });
  });

  it.each(['pod/app', 'app', ''])('knows no kind of %j', (id) => {
    expect(parseSourceId(id)).toBeUndefined();
  });
});
