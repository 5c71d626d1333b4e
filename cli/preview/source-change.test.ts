import { expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { systemRandom } from '../../shared/runtime/random';
import { SourceChanges } from './source-change';
import { readSourceObject } from './source-object';

const source = { kind: 'ConfigMap', namespace: 'shop', name: 'app' } as const;

it.each([
  ['another content', { data: { a: '2' }, immutable: true }, true],
  ['the same content', { data: { a: '1' }, immutable: true }, false],
  ['the same content, no longer immutable', { data: { a: '1' } }, true],
  ['nothing any more', undefined, false],
])('an immutable ConfigMap that gets %s is refused: %#', (_what, after, isRefused) => {
  const changes = new SourceChanges(systemRandom, defaultAnnotationKeys, {} as never);
  const read = (object: unknown) => (object === undefined ? undefined : readSourceObject('ConfigMap', object));
  const before = { data: { a: '1' }, immutable: true };
  const { refusal } = changes.between(source, read(before), read(after));
  expect(refusal !== undefined).toBe(isRefused);
});
