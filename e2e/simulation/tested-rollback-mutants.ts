import type { TestedMutant } from './mutants';

/** Bugs of what puts a former content back, each found by its `test`. */
export const testedRollbackMutants: readonly TestedMutant[] = [
  {
    what: 'a content is not put back if a pod of a user that waits has started with the bad one',
    file: 'shared/domain/plan/may-owe.ts',
    from: "isOwed(verdict) && verdict?.comparison?.because !== 'changed-back'",
    to: 'isOwed(verdict)',
    test: 'e2e/engine/rollback.test.ts',
  },
  {
    what: 'a content is put back a second time',
    file: 'reconciler/rollback/put-backs.ts',
    from: '    if (known.includes(change)) {\n',
    to: '    if (known.length < 0) {\n',
    test: 'e2e/engine/rollback.test.ts',
  },
  {
    what: 'a content is kept although a user is not healthy',
    file: 'reconciler/rollback/kept-contents.ts',
    from: 'hasProved(user) && !owes(user, source)',
    to: '!owes(user, source)',
    test: 'e2e/engine/rollback.test.ts',
  },
  {
    what: 'a content is put back that the others do not have',
    file: 'reconciler/rollback/put-backs.ts',
    from: 'others.some((user) => hasOther(user, instead))',
    to: 'others.some((user) => !owes(user, source))',
    test: 'e2e/engine/rollback.test.ts',
  },
  {
    what: 'a leader after a crash does not go on with what was begun',
    file: 'reconciler/rollback/put-backs.ts',
    from: '      if (former.note.version === version) return rolledBack;\n',
    to: '',
    test: 'e2e/engine/rollback-faults.test.ts',
  },
  {
    what: 'a content that anybody made is put back',
    file: 'shared/domain/rollback/kept-object.ts',
    from: 'mac.length === right.length && timingSafeEqual(mac, right) ?',
    to: 'mac.length <= right.length || timingSafeEqual(mac, right) ?',
    test: 'shared/domain/rollback/kept-object.test.ts',
  },
  {
    what: 'an older content can be brought back by a copy of its object',
    file: 'shared/domain/rollback/kept-object.ts',
    from: 'sourceUid, uid, JSON.stringify(note)]',
    to: 'sourceUid, JSON.stringify(note)]',
    test: 'shared/domain/rollback/kept-object.test.ts',
  },
];
