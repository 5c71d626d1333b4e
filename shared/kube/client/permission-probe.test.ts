import { describe, expect, it } from '@jest/globals';
import { clientWorld } from './client.fixture';
import { errorFromStatus } from '../errors';
import { refusal, type Reply } from '../transport/fake-transport';
import { PermissionProbe } from './permission-probe';
import { requestTarget } from '../request-target';
import { statusFromJson } from '../wire/status-body';

const target = requestTarget('POST', '/api/v1/namespaces/reroll/secrets');
const forbidden = (message: string) => errorFromStatus(403, statusFromJson({ kind: 'Status', message }), target);
const refused = forbidden('secrets is forbidden: User "reroll" cannot create resource "secrets" in API group ""');
const notTold = refusal(403, 'Forbidden');

/** A server that answers access reviews with `answer`. */
function worldOf(answer: () => Reply) {
  const { client, clock, transport } = clientWorld(({ path }) => (path === '/readyz' ? { body: 'ok' } : answer()));
  return { refusals: new PermissionProbe({ client, clock }), clock, transport };
}

const reviewed = (allowed: boolean): Reply => ({ status: 201, body: { status: { allowed } } });

describe('a permission', () => {
  it('is missing as soon as the server says so', async () => {
    const { refusals } = worldOf(() => reviewed(false));
    expect(await refusals.isRightMissing(refused)).toBe(true);
  });

  it('is not missing if the review says it is held, however long requests are refused', async () => {
    const { refusals, clock } = worldOf(() => reviewed(true));
    expect(await refusals.isRightMissing(refused)).toBe(false);
    await clock.advance(60_000);
    expect(await refusals.isRightMissing(refused)).toBe(false);
  });

  it('is missing if the review is unknown and requests have been refused for a while', async () => {
    const { refusals, clock } = worldOf(() => notTold);
    expect(await refusals.isRightMissing(refused)).toBe(false);
    await clock.advance(14_000);
    expect(await refusals.isRightMissing(refused)).toBe(false);
    await clock.advance(1_000);
    expect(await refusals.isRightMissing(refused)).toBe(true);
  });

  it('starts a new wait after it was held in between', async () => {
    let answer = notTold;
    const { refusals, clock } = worldOf(() => answer);
    await refusals.isRightMissing(refused);
    await clock.advance(20_000);
    answer = reviewed(true);
    expect(await refusals.isRightMissing(refused)).toBe(false);
    answer = notTold;
    expect(await refusals.isRightMissing(refused)).toBe(false);
  });

  it.each([
    ['success', undefined],
    ['another failure', new Error('reset')],
    ['a quota', forbidden('secrets "x" is forbidden: exceeded quota: few')],
    ['an admission webhook', forbidden('admission webhook "x" denied the request: no')],
  ])('starts a new wait after %s in between, which needs no review', async (_what, between) => {
    const { refusals, clock, transport } = worldOf(() => notTold);
    await refusals.isRightMissing(refused);
    await clock.advance(20_000);
    const reviews = transport.requests.length;
    expect(await refusals.isRightMissing(between)).toBe(false);
    expect(transport.requests).toHaveLength(reviews);
    expect(await refusals.isRightMissing(refused)).toBe(false);
  });
});
