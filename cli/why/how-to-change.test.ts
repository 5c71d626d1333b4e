import { expect, it } from '@jest/globals';
import { readNarrowing } from '../../shared/domain/policy/narrowing';
import { howToCount } from './how-to-change';

const match = 'reloader.stakater.com/match';

it.each(['ConfigMap', 'Secret', 'SecretProviderClass'] as const)(
  'tells how a %s counts that the workload is narrowed away from, by what works',
  (kind) => {
    const about = { install: { settings: { keys: {} } }, namespace: 'shop', facts: undefined, sources: new Map() };
    const how =
      howToCount(about as never, { kind, name: 'app', decision: 'kind-left-out', rule: match } as never) ?? '';
    expect(how).toMatch(/^remove reloader\.stakater\.com\/match from the workload/);
    const [, advised] = /or write "(.*)" there$/.exec(how) ?? [];
    const kinds = readNarrowing(
      advised === undefined ? {} : { [match]: advised },
      {},
      { match, kind: 'k', search: 's' },
    );
    expect(kinds.kinds).toContain(kind);
  },
);
