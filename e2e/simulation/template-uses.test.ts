import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../apiserver/json';
import { usesOfTemplate } from './template-uses';

const items = [
  { key: 'color', path: 'conf/color' },
  { key: 'token', path: 'other/token' },
];

function usesOf(spec: JsonObject): Readonly<Record<string, string>> {
  const uses = usesOfTemplate({ spec }, 'shop');
  return Object.fromEntries([...uses].map(([source, keys]) => [source, keys === 'all' ? keys : [...keys].join()]));
}

/** What is used of a ConfigMap that is mounted like this. */
function ofMounts(configMap: JsonObject, ...mounts: readonly JsonObject[]): string | undefined {
  const volumeMounts = mounts.map((mount) => ({ name: 'config', mountPath: '/etc', ...mount }));
  const volumes = [{ name: 'config', configMap: { name: 'app', ...configMap } }];
  return usesOf({ containers: [{ name: 'app', volumeMounts }], volumes })['ConfigMap shop/app'];
}

describe('what the judge reads of a pod template', () => {
  it.each<[string, JsonObject, readonly JsonObject[], string | undefined]>([
    ['a volume that nobody mounts', {}, [], undefined],
    ['a whole volume', {}, [{}], 'all'],
    ['two files', {}, [{ subPath: 'color' }, { subPath: './size' }], 'color,size'],
    ['a file, and everything', {}, [{ subPath: 'color' }, {}], 'all'],
    ['a path that nobody knows', {}, [{ subPathExpr: '$(NODE)' }], 'all'],
    ['a directory', { items }, [{ subPath: 'conf' }], 'color'],
    ['a file in a directory', { items }, [{ subPath: 'other//token' }], 'token'],
    ['a path that is only the beginning of a name', { items }, [{ subPath: 'con' }], undefined],
    ['all items', { items }, [{}], 'color,token'],
  ])('is, for %s, no more and no less', (_what, configMap, mounts, expected) => {
    expect(ofMounts(configMap, ...mounts)).toBe(expected);
  });

  it('includes init containers, sidecars and projected sources', () => {
    const uses = usesOf({
      containers: [{ name: 'app' }, { name: 'sidecar', envFrom: [{ configMapRef: { name: 'extra' } }] }],
      initContainers: [
        {
          name: 'setup',
          env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'db', key: 'color' } } }],
          volumeMounts: [{ name: 'all', mountPath: '/etc' }],
        },
      ],
      volumes: [
        { name: 'all', projected: { sources: [{ secret: { name: 'db', items } }, { configMap: { name: 'app' } }] } },
      ],
    });
    expect(uses).toEqual({
      'ConfigMap shop/extra': 'all',
      'Secret shop/db': 'color,token',
      'ConfigMap shop/app': 'all',
    });
  });
});
