import { describe, expect, it } from '@jest/globals';
import { LeaderSilentError, type Silence } from '../cluster/silence';
import { answeredByText, fixFor } from './standing';

describe('what to do if the leader is silent', () => {
  it.each<[Silence, RegExp | undefined]>([
    ['no-right', /^ask an administrator for the Role "ask-reroll" in namespace tools/],
    ['nobody-leads', /^look at the pods of Reroll: kubectl -n tools get pods$/],
    ['not-a-pod', /--reroll-namespace$/],
    ['unreachable', /^this page keeps asking/],
    ['not-ready', /^this page keeps asking/],
    ['no-lease', undefined],
    ['no-interface', undefined],
    ['no-workloads', undefined],
    ['other-version', undefined],
    ['endless', undefined],
  ])('%s', (silence, fix) => {
    const found = fixFor({ silence }, 'tools');
    if (fix) expect(found).toMatch(fix);
    else expect(found).toBeUndefined();
  });
});

it('says who answered', () => {
  expect(answeredByText('reroll-0', undefined)).toBe('as the leader reroll-0 says');
  expect(answeredByText(undefined, new LeaderSilentError('nobody-leads', 'nobody leads'))).toBe(
    'nobody leads; this is from what you may read yourself',
  );
});
