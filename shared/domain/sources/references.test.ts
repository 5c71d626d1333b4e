import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { budgets } from '../budgets';
import {
  containerOrder,
  firstContainer,
  noReferences,
  references,
  sameReferences,
  templateReferences,
  type Reference,
} from './references';

const cmEnv = (name: string, key: string) => ({ valueFrom: { configMapKeyRef: { name, key } } });
const secretEnv = (name: string, key: string) => ({ valueFrom: { secretKeyRef: { name, key } } });
const cmEnvFrom = (name: string) => ({ configMapRef: { name } });
const mount = (name: string, more: object = {}) => ({ name, mountPath: '/x', ...more });
const cmVolume = (volume: string, name: string, more: object = {}) => ({ name: volume, configMap: { name, ...more } });
const item = (key: string, path = key) => ({ key, path });

/** The keys by source, such as `ConfigMap/app`, for a pod whose only container has these parts. */
const keysOf = (volumes: unknown[], volumeMounts: unknown[], container: object = {}) =>
  Object.fromEntries(
    references({ volumes, containers: [{ name: 'web', volumeMounts, ...container }] }).map(({ kind, name, keys }) => [
      `${kind}/${name}`,
      keys,
    ]),
  );

describe('§3.1 what counts as a reference', () => {
  it.each<[string, object, string, 'all' | readonly string[]]>([
    ['env configMapKeyRef', { env: [cmEnv('app', 'k')] }, 'ConfigMap/app', ['k']],
    ['env secretKeyRef', { env: [secretEnv('db', 'k')] }, 'Secret/db', ['k']],
    ['envFrom configMapRef', { envFrom: [cmEnvFrom('app')] }, 'ConfigMap/app', 'all'],
    ['envFrom secretRef', { envFrom: [{ prefix: 'X_', secretRef: { name: 'db' } }] }, 'Secret/db', 'all'],
  ])('%s', (_, container, source, keys) => expect(keysOf([], [], container)).toEqual({ [source]: keys }));

  it.each<[string, object, string]>([
    ['configMap', { configMap: { name: 'app' } }, 'ConfigMap/app'],
    ['secret', { secret: { secretName: 'db' } }, 'Secret/db'],
    ['projected configMap', { projected: { sources: [{ configMap: { name: 'app' } }] } }, 'ConfigMap/app'],
    ['projected secret', { projected: { sources: [{ secret: { name: 'db' } }] } }, 'Secret/db'],
    [
      'csi',
      { csi: { driver: 'any', volumeAttributes: { secretProviderClass: 'vault' } } },
      'SecretProviderClass/vault',
    ],
  ])('volume of %s, if it is mounted', (_, volume, source) => {
    expect(keysOf([{ name: 'v', ...volume }], [mount('v')])).toEqual({ [source]: 'all' });
    expect(keysOf([{ name: 'v', ...volume }], [mount('other')])).toEqual({});
  });

  it('not imagePullSecrets, ephemeral containers, service account tokens or other volumes', () => {
    expect(
      references({
        imagePullSecrets: [{ name: 'pull' }],
        ephemeralContainers: [{ name: 'debug', envFrom: [cmEnvFrom('app')] }],
        containers: [{ name: 'web', volumeMounts: [mount('t'), mount('e'), mount('c')] }],
        volumes: [
          { name: 't', projected: { sources: [{ serviceAccountToken: { path: 'token' } }, { downwardAPI: {} }] } },
          { name: 'e', emptyDir: {} },
          { name: 'c', cephfs: { secretRef: { name: 'ceph' } } },
        ],
      }),
    ).toBe(noReferences);
  });

  it('init containers and sidecars too', () => {
    const found = references({
      containers: [{ name: 'web' }],
      initContainers: [
        { name: 'init', env: [cmEnv('a', 'k')] },
        { name: 'sidecar', restartPolicy: 'Always', volumeMounts: [mount('v')] },
      ],
      volumes: [cmVolume('v', 'b')],
    });
    expect(found.map(({ name, container }) => [name, container])).toEqual([
      ['a', 'web'],
      ['b', 'web'],
    ]);
  });
});

describe('keys', () => {
  it('are the sorted union of all uses', () => {
    expect(
      keysOf([cmVolume('v', 'app', { items: [item('c'), item('a')] })], [mount('v')], {
        env: [cmEnv('app', 'b'), cmEnv('app', 'a')],
      }),
    ).toEqual({
      'ConfigMap/app': ['a', 'b', 'c'],
    });
  });

  it.each<[string, object]>([
    ['before', { env: [cmEnv('app', 'k')], envFrom: [cmEnvFrom('app')] }],
    ['after', { envFrom: [cmEnvFrom('app')], env: [cmEnv('app', 'k')] }],
  ])('are all keys if one use takes all of them, named %s it', (_, container) =>
    expect(keysOf([], [], container)).toEqual({ 'ConfigMap/app': 'all' }),
  );

  it('keep a ConfigMap and a Secret of one name apart', () => {
    expect(keysOf([], [], { env: [cmEnv('app', 'a'), secretEnv('app', 'b')] })).toEqual({
      'ConfigMap/app': ['a'],
      'Secret/app': ['b'],
    });
  });

  const whole = cmVolume('v', 'app');
  const picked = cmVolume('v', 'app', {
    items: [item('a', 'etc/a.conf'), item('b', 'etc/sub/b.conf'), item('c', 'c')],
  });

  it.each<[string, object, object[], 'all' | readonly string[] | undefined]>([
    ['no items, no subPath', whole, [mount('v')], 'all'],
    ['empty items', cmVolume('v', 'app', { items: [] }), [mount('v')], 'all'],
    ['one subPath', whole, [mount('v', { subPath: 'a' })], ['a']],
    ['several subPaths', whole, [mount('v', { subPath: 'b' }), mount('v', { subPath: 'a' })], ['a', 'b']],
    ['subPath with more segments', whole, [mount('v', { subPath: './a/b/' })], ['a']],
    ['subPath and a mount of everything', whole, [mount('v', { subPath: 'a' }), mount('v')], 'all'],
    ['subPathExpr', whole, [mount('v', { subPath: 'a' }), mount('v', { subPathExpr: '$(X)' })], 'all'],
    ['subPath that is empty', whole, [mount('v', { subPath: '' })], 'all'],
    ['subPath that is the top', whole, [mount('v', { subPath: '.' })], 'all'],
    ['subPath of the link to all files', whole, [mount('v', { subPath: '..data' })], 'all'],
    ['subPath of a file behind that link', whole, [mount('v', { subPath: './..data/a' })], ['a']],
    ['items', picked, [mount('v')], ['a', 'b', 'c']],
    ['items, subPath of a file', picked, [mount('v', { subPath: 'etc/a.conf' })], ['a']],
    ['items, subPath of a directory', picked, [mount('v', { subPath: 'etc/' })], ['a', 'b']],
    ['items, subPath of a directory behind the link', picked, [mount('v', { subPath: '..data/etc' })], ['a', 'b']],
    ['items, subPath that only begins alike', picked, [mount('v', { subPath: 'et' })], undefined],
    ['items, subPath and a mount of everything', picked, [mount('v', { subPath: 'c' }), mount('v')], ['a', 'b', 'c']],
    ['items, subPathExpr', picked, [mount('v', { subPathExpr: '$(X)' })], ['a', 'b', 'c']],
  ])('volume with %s', (_, volume, mounts, keys) => {
    expect(keysOf([volume], mounts)['ConfigMap/app']).toEqual(keys);
  });

  it('a mount of everything in another container counts', () => {
    const found = references({
      volumes: [whole],
      containers: [{ name: 'web', volumeMounts: [mount('v', { subPath: 'a' })] }],
      initContainers: [{ name: 'init', volumeMounts: [mount('v')] }],
    });
    expect(found).toEqual([expect.objectContaining({ keys: 'all', container: 'web' })]);
  });

  it('of projected sources follow their own items', () => {
    const volume = {
      name: 'v',
      projected: { sources: [{ configMap: { name: 'a', items: [item('k')] } }, { secret: { name: 'b' } }] },
    };
    expect(keysOf([volume], [mount('v')])).toEqual({ 'ConfigMap/a': ['k'], 'Secret/b': 'all' });
    expect(keysOf([volume], [mount('v', { subPath: 'cert' })])).toEqual({ 'Secret/b': ['cert'] });
  });
});

describe("§3.2 Reloader's target container", () => {
  const uses = { envFrom: [cmEnvFrom('app')] };
  const mounts = { volumeMounts: [mount('v')] };
  const volumes = [cmVolume('v', 'app')];
  const three = (first: object, second: object, third: object = {}) => [
    { name: 'one', ...first },
    { name: 'two', ...second },
    { name: 'three', ...third },
  ];

  it.each<[string, object, string | undefined]>([
    ['container two mounts it', { volumes, containers: three({}, mounts) }, 'two'],
    ['one has envFrom, two mounts it: the volume wins', { volumes, containers: three(uses, mounts) }, 'two'],
    ['one and three mount it', { volumes, containers: three(mounts, {}, mounts) }, 'one'],
    ['two and three have envFrom', { containers: three({}, uses, uses) }, 'two'],
    ['only an init container mounts it', { volumes, containers: three({}, {}), initContainers: [mounts] }, 'one'],
    ['only an init container has envFrom', { containers: three({}, {}), initContainers: [uses] }, 'one'],
    [
      'an init container mounts it, two has envFrom',
      { volumes, containers: three({}, uses), initContainers: [mounts] },
      'one',
    ],
    ['an init container and two have envFrom', { containers: three({}, uses), initContainers: [uses] }, 'two'],
    ['mounted by nobody, two has envFrom', { volumes, containers: three({}, uses) }, 'two'],
    // Reloader looks at the first volume only and finds no use here.
    [
      'two volumes, only the second is mounted',
      { volumes: [cmVolume('unused', 'app'), ...volumes], containers: three({}, mounts) },
      'two',
    ],
    [
      'two volumes, both mounted: the first in the list of volumes',
      { volumes: [...volumes, cmVolume('w', 'app')], containers: three({ volumeMounts: [mount('w')] }, mounts) },
      'two',
    ],
    ['no containers', { volumes, initContainers: [mounts] }, undefined],
  ])('%s', (_, spec, container) =>
    expect(references(spec)).toEqual([expect.objectContaining({ name: 'app', container })]),
  );

  it.each<[string, object]>([
    ['volume declared, mounted by nobody', { volumes, containers: three({}, {}) }],
    ['no reference at all', { containers: three({}, {}) }],
  ])('%s: none, and the first container for a named source', (_, spec) => {
    expect(references(spec)).toEqual([]);
    expect(firstContainer(spec)).toBe('one');
  });

  it('no containers: no first one', () => expect(firstContainer({})).toBeUndefined());

  it('all targets, in the order of the template, if there are several', () => {
    const spec = { containers: three({}, { envFrom: [cmEnvFrom('b')] }, { envFrom: [cmEnvFrom('a')] }) };
    expect(containerOrder(spec, references(spec))).toEqual(['one', 'two', 'three']);
    expect(containerOrder(spec, references(spec).slice(0, 1))).toEqual(['one', 'three']);
    expect(containerOrder(spec, noReferences)).toBeUndefined();
  });
});

describe('robustness', () => {
  it('orders references by kind and name, whatever the order of the template', () => {
    const found = references({
      containers: [{ name: 'web', env: [secretEnv('b', 'k'), cmEnv('z', 'k'), cmEnv('a', 'k'), secretEnv('a', 'k')] }],
    });
    expect(found.map(({ kind, name }) => `${kind}/${name}`)).toEqual([
      'ConfigMap/a',
      'ConfigMap/z',
      'Secret/a',
      'Secret/b',
    ]);
  });

  it('ignores key references without a key and sources without a name', () => {
    expect(
      keysOf([cmVolume('v', '')], [mount('v')], { env: [{ valueFrom: { configMapKeyRef: { name: 'app' } } }] }),
    ).toEqual({});
  });

  it('never throws for JSON of any shape near a pod spec', () => {
    const { spec } = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.constantFrom(null, true, 1, '', 'app'), fc.constant([])),
      spec: fc.oneof({ maxDepth: 6 }, tie('leaf'), fc.array(tie('spec'), { maxLength: 3 }), tie('object')),
      object: fc.dictionary(
        fc.constantFrom(
          ...[
            'containers',
            'initContainers',
            'volumes',
            'env',
            'envFrom',
            'valueFrom',
            'configMapKeyRef',
            'secretRef',
            'name',
            'key',
          ],
          ...[
            'volumeMounts',
            'subPath',
            'configMap',
            'secret',
            'secretName',
            'items',
            'path',
            'projected',
            'sources',
            'csi',
          ],
        ),
        tie('spec'),
        { maxKeys: 6 },
      ),
    }));
    fc.assert(
      fc.property(spec, (podSpec) => {
        for (const { name } of references(podSpec)) expect(typeof name).toBe('string');
      }),
    );
  });
});

describe('the budget of a template', () => {
  const many = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index));

  it('is 500 sources: only the first ones in the template count', () => {
    const envFrom = many(501, (index) => cmEnvFrom(`s${index}`));
    const { references: found, isCut } = templateReferences({ containers: [{ name: 'web', envFrom }] });
    expect([found.length, isCut]).toEqual([500, true]);
    expect(found.some(({ name }) => name === 's500')).toBe(false);
    expect(templateReferences({ containers: [{ name: 'web', envFrom: envFrom.slice(1) }] }).isCut).toBe(false);
  });

  it('omits no key of a source that counts, however late it appears', () => {
    const env = [...many(501, (index) => cmEnv(`s${index}`, 'first')), cmEnv('s0', 'last')];
    const [first] = references({ containers: [{ name: 'web', env }] });
    expect(first).toMatchObject({ name: 's0', keys: ['first', 'last'] });
  });

  it('is 2,000 single keys: beyond that all keys of a source count', () => {
    const env = many(2_000, (index) => cmEnv('big', `k${index}`));
    const within = templateReferences({ containers: [{ name: 'web', env }] });
    expect([within.references[0]?.keys.length, within.isCoarse]).toEqual([2_000, false]);
    const beyond = templateReferences({ containers: [{ name: 'web', env: [...env, cmEnv('c', 'k')] }] });
    expect(beyond.references.map(({ name, keys }) => [name, keys === 'all'])).toEqual([
      ['big', false],
      ['c', true],
    ]);
    expect(beyond.isCoarse).toBe(true);
  });

  it('is 100 paths in a volume: with more, all of it counts as mounted', () => {
    const mounts = many(101, (index) => mount('v', { subPath: `f${index}` }));
    expect(keysOf([cmVolume('v', 'app')], mounts.slice(1))['ConfigMap/app']).toHaveLength(100);
    expect(keysOf([cmVolume('v', 'app')], mounts)).toEqual({ 'ConfigMap/app': 'all' });
  });

  it.each([
    ['parts', 'a/'.repeat(32)],
    ['bytes', 'a'.repeat(4_097)],
  ])('is a path of so many %s: a longer one may lead anywhere', (_, long) => {
    const deep = `${long}x`;
    expect(keysOf([cmVolume('v', 'app')], [mount('v', { subPath: deep })])).toEqual({ 'ConfigMap/app': 'all' });
    const items = [item('shown', deep), item('hidden', 'elsewhere')];
    expect(keysOf([cmVolume('v', 'app', { items })], [mount('v', { subPath: 'conf' })])).toEqual({
      'ConfigMap/app': ['shown'],
    });
  });

  it('ignores invalid names of sources and keys', () => {
    const long = 'n'.repeat(254);
    expect(keysOf([], [], { env: [cmEnv(long, 'k'), cmEnv('app', long)], envFrom: [cmEnvFrom(long)] })).toEqual({});
  });

  /** Counts how often a field of a template is read. Linear work reads each field a few times. */
  function readsOf(podSpec: object): number {
    let reads = 0;
    const counted = <T extends object>(value: T): T =>
      new Proxy(value, {
        get: (target, field, receiver) => {
          reads++;
          const found: unknown = Reflect.get(target, field, receiver);
          return typeof found === 'object' && found !== null ? counted(found) : found;
        },
      });
    references(counted(podSpec));
    return reads;
  }

  it.each<[string, (size: number) => object]>([
    [
      'volumes',
      (size) => ({
        volumes: many(size, (index) => cmVolume(`v${index}`, `s${index}`)),
        containers: [{ name: 'w', volumeMounts: many(size, (index) => mount(`v${index}`)) }],
      }),
    ],
    [
      'sources in one volume and its mounts',
      (size) => ({
        volumes: [{ name: 'v', projected: { sources: many(size, (index) => ({ configMap: { name: `s${index}` } })) } }],
        containers: [{ name: 'w', volumeMounts: many(size, (index) => mount('v', { subPath: `f${index}` })) }],
      }),
    ],
    [
      'items and mounts',
      (size) => ({
        volumes: [cmVolume('v', 'app', { items: many(size, (index) => item(`k${index}`)) })],
        containers: [{ name: 'w', volumeMounts: many(size, (index) => mount('v', { subPath: `k${index}` })) }],
      }),
    ],
    [
      'variables',
      (size) => ({ containers: [{ name: 'w', env: many(size, (index) => cmEnv(`s${index}`, `k${index}`)) }] }),
    ],
    [
      'containers',
      (size) => ({ containers: many(size, (index) => ({ name: `w${index}`, envFrom: [cmEnvFrom('app')] })) }),
    ],
  ])('grows with the number of %s, and not with its square', (_, make) => {
    const size = 2 * budgets.references;
    expect(readsOf(make(4 * size))).toBeLessThan(4.5 * readsOf(make(size)));
  });
});

describe('sameReferences', () => {
  const app: Reference = { kind: 'ConfigMap', name: 'app', keys: ['a', 'b'], container: 'web' };
  const database: Reference = { kind: 'Secret', name: 'db', keys: 'all', container: undefined };

  it('holds for the same template, read twice', () => {
    const podSpec = {
      containers: [{ name: 'web', envFrom: [cmEnvFrom('all')], env: [cmEnv('app', 'b'), cmEnv('app', 'a')] }],
    };
    expect(sameReferences(references(podSpec), references(structuredClone(podSpec)))).toBe(true);
    expect(sameReferences([app, database], structuredClone([app, database]))).toBe(true);
    expect(sameReferences(noReferences, [])).toBe(true);
  });

  it.each<[string, readonly Reference[]]>([
    ['a reference less', [app]],
    ['a reference more', [app, database, { ...database, name: 'other' }]],
    ['another kind', [{ ...app, kind: 'Secret' }, database]],
    ['another name', [{ ...app, name: 'other' }, database]],
    ['another container', [app, { ...database, container: 'web' }]],
    ['a key less', [{ ...app, keys: ['a'] }, database]],
    ['a key more', [{ ...app, keys: ['a', 'b', 'c'] }, database]],
    ['another key', [{ ...app, keys: ['a', 'c'] }, database]],
    ['all keys', [{ ...app, keys: 'all' }, database]],
    ['single keys', [app, { ...database, keys: ['a'] }]],
  ])('does not hold for %s', (_what, other) => expect(sameReferences([app, database], other)).toBe(false));
});
