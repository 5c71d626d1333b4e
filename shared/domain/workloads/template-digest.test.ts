import { describe, expect, it } from '@jest/globals';
import { templateDigest } from './template-digest';
import { workloadKind } from '../kubernetes/workload-kinds';

const web = {
  metadata: { labels: { app: 'web', tier: 'front' } },
  spec: { containers: [{ name: 'app', image: 'app:1', env: [{ name: 'A' }, { name: 'B' }] }] },
};
const [app] = web.spec.containers;

function digestOf(template: unknown): string {
  return templateDigest(workloadKind('Deployment'), { spec: { template } });
}

describe('templateDigest', () => {
  it.each<[string, unknown]>([
    ['fields in another order', { spec: web.spec, metadata: { labels: { tier: 'front', app: 'web' } } }],
    ['empty fields that are sent', { ...web, metadata: { ...web.metadata, annotations: {}, creationTimestamp: null } }],
    ['empty lists that are sent', { ...web, spec: { ...web.spec, volumes: [], initContainers: null } }],
    ['objects with only empty fields', { ...web, spec: { ...web.spec, affinity: { podAffinity: {} } } }],
  ])('is the same for %s', (_, template) => {
    expect(digestOf(template)).toBe(digestOf(web));
  });

  it.each<[string, unknown]>([
    ['another image', { ...web, spec: { containers: [{ ...app, image: 'app:2' }] } }],
    ['variables in another order', { ...web, spec: { containers: [{ ...app, env: [{ name: 'B' }, { name: 'A' }] }] } }],
    ['an item less', { ...web, spec: { containers: [{ ...app, env: [{ name: 'A' }] }] } }],
    ['an annotation more', { ...web, metadata: { ...web.metadata, annotations: { a: '' } } }],
    ['a switch that is off', { ...web, spec: { ...web.spec, hostNetwork: false } }],
    ['no template', undefined],
  ])('differs for %s', (_, template) => {
    expect(digestOf(template)).not.toBe(digestOf(web));
  });

  it('covers only the template', () => {
    const kind = workloadKind('Deployment');
    const scaled = { metadata: { generation: 7 }, spec: { replicas: 3, template: web }, status: { replicas: 2 } };
    expect(templateDigest(kind, scaled)).toBe(digestOf(web));
  });
});
