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
    ['what is empty, sent', { ...web, metadata: { ...web.metadata, annotations: {}, creationTimestamp: null } }],
    ['lists that are empty, sent', { ...web, spec: { ...web.spec, volumes: [], initContainers: null } }],
    ['objects of which everything is empty', { ...web, spec: { ...web.spec, affinity: { podAffinity: {} } } }],
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
  ])('is another for %s', (_, template) => {
    expect(digestOf(template)).not.toBe(digestOf(web));
  });

  it('is of the template alone', () => {
    const kind = workloadKind('Deployment');
    const scaled = { metadata: { generation: 7 }, spec: { replicas: 3, template: web }, status: { replicas: 2 } };
    expect(templateDigest(kind, scaled)).toBe(digestOf(web));
  });
});
