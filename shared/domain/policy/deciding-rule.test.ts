import { expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../annotations/annotations';
import { decidingRule } from './deciding-rule';
import type { DecisionReason } from './policy';

it.each<[DecisionReason, string | undefined]>([
  ['workload-kind-ignored', '--ignored-workload-types'],
  ['source-ignored', 'reloader.stakater.com/ignore'],
  ['kind-left-out', 'reloader.stakater.com/match or reloader.stakater.com/kind'],
  ['excluded', 'secrets.exclude.reloader.stakater.com/reload'],
  ['named', 'secret.reloader.stakater.com/reload'],
  ['search-match', 'reloader.stakater.com/search and reloader.stakater.com/match'],
  ['auto', 'reloader.stakater.com/auto'],
  ['auto-typed', 'secret.reloader.stakater.com/auto'],
  ['auto-reload-all', '--auto-reload-all'],
  ['opted-out', 'reloader.stakater.com/auto or secret.reloader.stakater.com/auto'],
  ['not-opted-in', undefined],
])('%s rests on %s', (reason, rule) => {
  expect(decidingRule(reason, 'Secret', defaultAnnotationKeys)).toBe(rule);
});

it('names the annotation under the name that a flag gives it', () => {
  expect(decidingRule('auto', 'Secret', { ...defaultAnnotationKeys, auto: 'example.com/auto' })).toBe(
    'example.com/auto',
  );
});
