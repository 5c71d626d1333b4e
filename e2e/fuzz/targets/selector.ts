import { attempt, promise, type Target } from '../target';
import { rewriteLegacySelector } from '../../../shared/domain/kubernetes/legacy-selector';
import { parseSelector, SelectorError } from '../../../shared/domain/kubernetes/selector';

const labels = { env: 'prod', tier: 'web', number: '7' };

/** A label selector, in Kubernetes' form and in Reloader's. */
export const target: Target = {
  seeds: ['env=prod,tier in (web,api),!canary', 'number>1,a!=b,x notin (y)', 'env:prod', 'env:*,k==v,example.com/a'],
  // A selector only comes from a flag, and whoever sets flags controls the process anyway.
  maxBytes: 16 * 1024,
  run: (input) => {
    const text = input.toString('utf8');
    for (const form of [text, rewriteLegacySelector([text])]) {
      const selector = attempt(() => parseSelector(form), SelectorError);
      if (!selector) continue;
      const again = parseSelector(selector.text);
      promise(again.requirements.length === selector.requirements.length, 'a selector is read as it was written');
      promise(again.matches(labels) === selector.matches(labels), 'a selector matches what it matched');
      promise(!selector.isEverything || selector.matches({}), 'what selects everything matches everything');
    }
  },
};
