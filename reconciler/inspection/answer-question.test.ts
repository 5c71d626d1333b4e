import { describe, expect, it } from '@jest/globals';
import type { HealthInspection } from '../../shared/domain/protocol/health-inspection';
import { answerQuestion } from './answer-question';
import { jsonBody } from './json-body';

const page = { about: 'workloads', namespace: undefined, limit: 500, after: undefined } as const;

function health(state: HealthInspection['state'], leader?: string): HealthInspection {
  const queue = { length: 0 };
  const own = {
    v: 1,
    state,
    version: '1.0.0',
    identity: 'reroll-0',
    watches: [],
    missingPermissions: [],
    queue,
  } as const;
  return { ...own, ...(leader !== undefined && { leader }) };
}

const silent = { answer: () => undefined };

describe('answerQuestion', () => {
  it.each(['starting', 'syncing', 'standby', 'acting', 'stopped'] as const)('tells its health when %s', (state) => {
    const answer = answerQuestion({ health: health(state), inspections: undefined }, { about: 'health' });
    expect(answer).toEqual({ body: { bytes: jsonBody(health(state)) } });
  });

  it('passes on what the leader knows', () => {
    const body = { bytes: jsonBody({ v: 1 }) };
    const inspections = { answer: () => body };
    expect(answerQuestion({ health: health('acting'), inspections }, page)).toEqual({ body });
  });

  it('puts its health together for no other question', () => {
    const body = { bytes: jsonBody({ v: 1 }) };
    const inspected = {
      get health(): HealthInspection {
        throw new Error('nobody asked for it');
      },
      inspections: { answer: () => body },
    };
    expect(answerQuestion(inspected, page)).toEqual({ body });
  });

  it.each([
    ['starting', undefined, 503, 'starting'],
    ['stopped', silent, 503, 'stopping'],
    ['syncing', silent, 503, 'not-synced'],
    ['standby', silent, 503, 'not-leading'],
    ['acting', silent, 503, 'not-leading'],
    ['acting', undefined, 404, 'no-workloads'],
  ] as const)('when %s, says what to do and who leads', (state, inspections, status, code) => {
    expect(answerQuestion({ health: health(state, 'reroll-1'), inspections }, page)).toEqual({
      status,
      problem: { code, message: expect.any(String), leader: 'reroll-1' },
    });
    const unknown = answerQuestion({ health: health(state), inspections }, page);
    expect('problem' in unknown && 'leader' in unknown.problem).toBe(false);
  });
});
