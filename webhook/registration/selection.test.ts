import { describe, expect, it } from '@jest/globals';
import { everything, parseSelector } from '../../shared/domain/kubernetes/selector';
import { selectors, type WebhookSelection } from './selection';
import { webhookConfiguration } from './webhook-configuration';

const all: WebhookSelection = {
  namespaces: [],
  namespacesToIgnore: [],
  namespaceSelector: everything,
  sourceSelector: everything,
  ignoredSourceKinds: [],
};
const own = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['reroll'] };

describe('selectors', () => {
  it.each<[string, Partial<WebhookSelection>, object]>([
    ['everything', {}, { namespaceSelector: { matchExpressions: [own] } }],
    [
      'some namespaces',
      { namespaces: ['shop', 'bank'] },
      {
        namespaceSelector: {
          matchExpressions: [own, { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['shop', 'bank'] }],
        },
      },
    ],
    [
      'all namespaces but some',
      { namespacesToIgnore: ['shop'] },
      { namespaceSelector: { matchExpressions: [{ ...own, values: ['reroll', 'shop'] }] } },
    ],
    [
      'namespaces with labels',
      { namespaceSelector: parseSelector('a=b,c!=d,e in (f,g),h notin (i),j,!k,l>5') },
      {
        namespaceSelector: {
          matchExpressions: [
            own,
            { key: 'a', operator: 'In', values: ['b'] },
            { key: 'c', operator: 'NotIn', values: ['d'] },
            { key: 'e', operator: 'In', values: ['f', 'g'] },
            { key: 'h', operator: 'NotIn', values: ['i'] },
            { key: 'j', operator: 'Exists' },
            { key: 'k', operator: 'DoesNotExist' },
          ],
        },
      },
    ],
    [
      'sources with labels',
      { sourceSelector: parseSelector('reload') },
      {
        namespaceSelector: { matchExpressions: [own] },
        objectSelector: { matchExpressions: [{ key: 'reload', operator: 'Exists' }] },
      },
    ],
  ])('of %s', (_what, selection, expected) => {
    expect(selectors({ ...all, ...selection }, ['reroll'])).toEqual(expected);
  });

  it('select everything by default', () => {
    expect(selectors(undefined, ['reroll'])).toEqual(selectors(all, ['reroll']));
  });
});

describe('webhookConfiguration', () => {
  const service = { namespace: 'reroll', name: 'reroll-webhook' };

  it.each([
    [[], ['configmaps.webhook.reroll.dev', 'secrets.webhook.reroll.dev']],
    [['Secret'], ['configmaps.webhook.reroll.dev']],
    [['ConfigMap'], ['secrets.webhook.reroll.dev']],
  ] as const)('without %j registers only %j for sources', (ignoredSourceKinds, names) => {
    const { webhooks } = webhookConfiguration('validating', service, { ...all, ignoredSourceKinds });
    const ofSources = webhooks.map(({ name }) => name).filter((name) => /^(?:configmaps|secrets)\./.test(name));
    expect(ofSources).toEqual(names);
  });

  it('sets the label selector on every hook for sources, and on none for workloads', () => {
    const selection = { ...all, sourceSelector: parseSelector('reload') };
    const [configMaps, secrets, ...workloads] = webhookConfiguration('mutating', service, selection).webhooks;
    for (const hook of [configMaps, secrets]) {
      expect(hook?.objectSelector?.matchExpressions).toEqual([{ key: 'reload', operator: 'Exists' }]);
    }
    for (const { objectSelector } of workloads) expect(objectSelector).toBeUndefined();
  });
});
