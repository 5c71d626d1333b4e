import { expect, it } from '@jest/globals';
import { sourceAnswer } from './source-answer';

const user = {
  ...{ kind: 'Deployment', name: 'web', keys: 'all' as const, decision: 'auto' as const, restarts: true },
  ...{ rule: 'reloader.stakater.com/auto', why: 'content changed' },
};
const account = {
  ...{ v: 1 as const, kind: 'ConfigMap', namespace: 'shop', name: 'app', presence: 'present' as const },
  ...{ namespaceSelected: true, users: [user] },
};
const read = { account, body: account, silence: undefined, leader: 'reroll-0', isInstallKnown: true };
const nothing = { missingRights: [], notKnown: [], selector: undefined };

it('says what a restart waits for', () => {
  const detail = 'ConfigMap app restarts its users in stages: Deployment canary goes first';
  const users = [{ ...user, deferred: { gate: 'stages', detail } }];
  const [line] = sourceAnswer({ ...read, account: { ...account, users }, ...nothing, idle: undefined }).users;
  expect(line?.because).toBe(`content changed; it restarts later (${detail})`);
});

it('promises restarts, and none if the install restarts nothing', () => {
  expect(sourceAnswer({ ...read, ...nothing, idle: undefined }).headline).toMatch(/ restarts 1 of 1 workload /);
  const { headline } = sourceAnswer({ ...read, ...nothing, idle: 'Reroll runs with --dry-run' });
  expect(headline).toMatch(/restarts nothing: Reroll runs with --dry-run/);
});

it('says that its users wait for others, and whether these have stopped them', () => {
  const answerWith = (isStopped: boolean) => {
    const stages = { isStopped, waiting: 2, change: '9f3e11aa', detail: 'Deployment canary is not healthy' };
    return sourceAnswer({ ...read, account: { ...account, stages }, ...nothing, idle: undefined });
  };
  const text = '2 workloads wait: Deployment canary is not healthy';
  expect(answerWith(true).stages).toEqual({ text, isBad: true });
  expect(answerWith(false).stages).toEqual({ text, isBad: false });
  expect(sourceAnswer({ ...read, ...nothing, idle: undefined })).not.toHaveProperty('stages');
});
