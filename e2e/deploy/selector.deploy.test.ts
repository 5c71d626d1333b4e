import { describe, expect, it } from '@jest/globals';
import { rewriteLegacySelector } from '../../shared/domain/kubernetes/legacy-selector';
import { everything, parseSelector } from '../../shared/domain/kubernetes/selector';
import { selectors } from '../../webhook/registration/selection';
import { Rendered } from './rendered';
import { renderChart, renderText } from './rendered-chart';

interface Hook {
  readonly namespaceSelector: { readonly matchExpressions: readonly unknown[] };
}

const all = {
  namespaces: [],
  namespacesToIgnore: [],
  namespaceSelector: everything,
  sourceSelector: everything,
  ignoredSourceKinds: [],
};
const label63 = 'a'.repeat(63);

/** The process parses the same text from its flag, so both must agree. */
describe('a selector of the chart', () => {
  it.each([
    'env:prod',
    'env:*',
    'env=*',
    'env:',
    'a:b:c',
    'a:*:c',
    ' a : * , b : c ',
    'a:*,k in (x,y),b:c',
    'k in (a,b:*,c)',
    'app.kubernetes.io/name:web',
    'env=',
    'env = prod ',
    'env==prod,tier!=web',
    'in=a,notin=b',
    'a=in',
    '! env,k notin(a,),k in ( , )',
    'size>1,size<009223372036854775807,size>0',
    ' ',
    `${label63}=${label63}`,
  ])('%j is registered as the flag reads it', async (namespaceSelector) => {
    const rendered = new Rendered(await renderChart({ reloader: { namespaceSelector } }));
    const parsed = parseSelector(rewriteLegacySelector(namespaceSelector.split(',')));
    const expected = selectors({ ...all, namespaceSelector: parsed }, []).namespaceSelector.matchExpressions;
    for (const each of rendered.one('ValidatingWebhookConfiguration')['webhooks'] as readonly Hook[]) {
      expect(each.namespaceSelector.matchExpressions.slice(1)).toEqual(expected.slice(1));
    }
  });

  it.each([
    'a=(',
    'env!',
    'env!=*',
    'env==*',
    'app=foo:bar',
    'a=b,',
    ',env',
    'a:b=c',
    'a=*:x',
    'env=a env=b',
    'env in ()',
    'env in (a',
    'env in a',
    'env in (a b)',
    'env===a',
    'size>big',
    'size>',
    'size>9223372036854775808',
    '-a=b',
    '/a=b',
    'a/b/c=d',
    '!',
    '!a=b',
    '(a)',
    `${label63}a`,
    `a=${label63}b`,
  ])('%j is refused as the flag refuses it', async (namespaceSelector) => {
    expect(() => parseSelector(rewriteLegacySelector(namespaceSelector.split(',')))).toThrow();
    await expect(renderText({ reloader: { namespaceSelector } })).rejects.toThrow(
      `reloader.namespaceSelector=${JSON.stringify(namespaceSelector)} is not a label selector. Accepted are env=prod,`,
    );
  });

  it('is not read where it has no effect', async () => {
    const values = { reloader: { namespaceSelector: 'a=(', watchGlobally: false } };
    await expect(renderText(values)).resolves.not.toContain('--namespace-selector');
  });
});
