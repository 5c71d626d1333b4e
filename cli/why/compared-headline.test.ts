import { describe, expect, it } from '@jest/globals';
import type { SourceAccount } from '../evidence/account';
import { comparedHeadline } from './compared-headline';

const nowMs = 600_000;

/** A leader's answer about a source of which somebody has written one key a minute ago. */
function firstLine(written: string, account: Partial<SourceAccount>): string | undefined {
  const write = { manager: 'ci', timeMs: nowMs - 60_000, names: [written] };
  const source = { kind: 'ConfigMap', name: 'app', exists: true, standing: 'unchanged', why: '', ...account };
  const facts = { ignore: false, match: false, createdAtMs: 0, isSelected: true, write };
  const about = {
    ...{ kind: 'Deployment', namespace: 'shop', name: 'web', nowMs, install: {} },
    account: { tracked: true, sources: [source], lastRestart: { at: new Date(0).toISOString(), id: '0badcafe' } },
    sources: new Map([['cm/app', { is: 'there', value: facts }]]),
  };
  return comparedHeadline(about as never, source as never)?.text;
}

describe('a source of which another key was written', () => {
  it('restarts nothing for it', () => {
    expect(firstLine('size', { keys: ['color'] })).toBe(
      'does not restart for ConfigMap app: the workload uses key color, and the change was to key size (last written 1 minute ago by ci)',
    );
  });

  it('is not said to have changed elsewhere if the leader does not name all keys that are used', () => {
    const keys = Array.from({ length: 20 }, (_, index) => `a${index}`);
    expect(firstLine('size', { keys, moreKeys: 5 })).not.toContain('the change was to key size');
  });
});
