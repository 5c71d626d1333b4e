import asyncHooks from 'node:async_hooks';
import process from 'node:process';
import { ModuleMocker } from 'jest-mock';

/** From Node 24 on a promise costs no more if there is a storage, and the property is a getter. */
const costs = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage').writable === true;

/** For jest-circus, which keeps one for tests that run at once. There are none, and each promise would visit it. */
class NoStorage {
  run(_store, callback, ...args) {
    return callback(...args);
  }

  getStore() {
    return undefined;
  }
}

/**
 * Suites run in the context of their worker. In a context of its own, which is what Jest gives each suite, every use of a
 * global is a call into C++, and no module can be shared with the suite before: see jest.runtime.mjs.
 */
export default class Environment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern = null;
  #globals;
  #before = { console: globalThis.console, exit: process.exit };

  constructor({ projectConfig }) {
    this.#globals = projectConfig.globals;
  }

  async setup() {
    Object.assign(globalThis, this.#globals);
    if (costs) asyncHooks.AsyncLocalStorage = NoStorage;
  }

  async teardown() {
    // jest-circus adds handlers for each suite. They would handle the events of all later suites, and keep what this one made.
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
    globalThis.console = this.#before.console;
    process.exit = this.#before.exit;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return globalThis;
  }
}
