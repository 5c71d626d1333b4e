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

/** A server that answers so when it is asked for a right. */
function worldOf(answer: () => Reply) {
  const { client, clock, transport } = clientWorld(({ path }) => (path === '/readyz' ? { body: 'ok' } : answer()));
  return { refusals: new PermissionProbe({ client, clock }), clock, transport };
}

const reviewed = (allowed: boolean): Reply => ({ status: 201, body: { status: { allowed } } });

describe('a right', () => {
  it('is missing as soon as the server says so', async () => {
    const { refusals } = worldOf(() => reviewed(false));
    expect(await refusals.isRightMissing(refused)).toBe(true);
  });

  it('is not missing where the server says that it is there, however long it is refused', async () => {
    const { refusals, clock } = worldOf(() => reviewed(true));
    expect(await refusals.isRightMissing(refused)).toBe(false);
    await clock.advance(60_000);
    expect(await refusals.isRightMissing(refused)).toBe(false);
  });

  it('is missing, where the server does not tell, when it has been refused for a while', async () => {
    const { refusals, clock } = worldOf(() => notTold);
    expect(await refusals.isRightMissing(refused)).toBe(false);
    await clock.advance(14_000);
    expect(await refusals.isRightMissing(refused)).toBe(false);
    await clock.advance(1_000);
    expect(await refusals.isRightMissing(refused)).toBe(true);
  });

  it('is waited for anew when it was there in between', async () => {
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
  ])('is not missing for certain after %s in between, and nobody is asked about that', async (_what, between) => {
    const { refusals, clock, transport } = worldOf(() => notTold);
    await refusals.isRightMissing(refused);
    await clock.advance(20_000);
    const asked = transport.requests.length;
    expect(await refusals.isRightMissing(between)).toBe(false);
    expect(transport.requests).toHaveLength(asked);
    expect(await refusals.isRightMissing(refused)).toBe(false);
  });
});
