import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../apiserver/objects';
import { noFeatures } from './features';
import { isSelectedSource } from './selection';

function objectOf(kind: string, labels: Record<string, string>): KubeObject {
  const metadata = { name: 'app', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '', labels };
  return { apiVersion: 'v1', kind, metadata };
}

describe('isSelectedSource', () => {
  it.each([
    ['ConfigMap', {}, false],
    ['ConfigMap', { reload: 'yes' }, true],
    ['ConfigMap', { reload: 'yes', tier: 'dev' }, false],
    ['Secret', {}, false],
    ['SecretProviderClass', {}, true],
    ['SecretProviderClass', { tier: 'dev' }, true],
  ])('%s with labels %j: %s', (kind, labels, selected) => {
    const features = { ...noFeatures, selectsSources: true, leavesOutSources: true };
    expect(isSelectedSource(objectOf(kind, labels), features)).toBe(selected);
    expect(isSelectedSource(objectOf(kind, labels), noFeatures)).toBe(true);
  });
});
