import type { Mutant } from './mutants';

const rolling = 'reconciler/gates/rolling-workloads.ts';
const order = 'reconciler/gates/restart-order.ts';
const turns = 'reconciler/gates/restart-turns.ts';
const orderGate = 'shared/domain/gates/order-gate.ts';

/** Bugs in how many restarts roll out at once, and in their order. */
export const paceMutants: readonly Mutant[] = [
  {
    what: 'one more than may rolls',
    file: 'shared/domain/gates/max-rolling-gate.ts',
    from: 'rolling[limit.unit] + added <= limit.count',
    to: 'rolling[limit.unit] + added <= limit.count + 1',
  },
  {
    what: 'a restart counts when the watch shows it',
    file: rolling,
    from: '    this.#set(slot);\n    return () => {',
    to: '    this.giveBack(key);\n    return () => {',
  },
  {
    what: 'the limit of a namespace counts for nobody',
    file: turns,
    from: 'const limit = ofNamespace ?? pace.perNamespace;',
    to: "const limit = ofNamespace === undefined ? pace.perNamespace : 'off';",
  },
  {
    what: 'those that wait are not woken',
    file: turns,
    from: '      onTurn(restart.workload.key);\n',
    to: '',
  },
  {
    what: 'twice as many may begin in a time',
    file: 'shared/domain/gates/restart-rate-gate.ts',
    from: 'nthLastMs(rate.count)',
    to: 'nthLastMs(2 * rate.count)',
  },
  {
    what: 'waves count for nobody',
    file: order,
    from: 'return first && first.user.wave < wave ? first : undefined;',
    to: 'return first && first.user.wave < wave - 1_000 ? first : undefined;',
  },
  {
    what: 'a wave goes on when the one before has restarted, and is not rolled out',
    file: orderGate,
    from: "return state === 'healthy' || state === 'unknown' ? 'done' : state;",
    to: "return state === 'failed' ? state : 'done';",
  },
  {
    what: 'names count for nobody',
    file: order,
    from: "if (standing === 'done') continue;",
    to: "if (standing !== 'failed') continue;",
  },
  {
    what: 'those that wait for each other wait for ever',
    file: order,
    from: 'const circle = this.#waits.circleFrom(key);',
    to: 'const circle = this.#waits.circleFrom(key).slice(0, 0);',
  },
  {
    what: 'nobody is woken when the one before is done',
    file: order,
    from: '      this.#waits.leave(waiting);\n      this.#options.onTurn(waiting);\n    }\n  }\n\n  /** Looks',
    to: '      this.#waits.leave(waiting);\n    }\n  }\n\n  /** Looks',
  },
];
