import asyncHooks from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

const { AsyncLocalStorage } = asyncHooks;

/** From Node 24 on a promise visits no storage, and the property is a getter. */
const visitsStorages = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage').writable === true;

/**
 * Each suite loads a jest-circus of its own, and that makes an `AsyncLocalStorage` which it never disables. Before Node 24
 * each promise then visits every storage of the suites before, and so keeps them all in memory: in a worker that has run
 * sixty suites an `await` costs fifty times as much. What a suite made is disabled when it is over.
 */
export default class Environment extends TestEnvironment {
  #storages = [];

  async setup() {
    await super.setup();
    if (!visitsStorages) return;
    const storages = this.#storages;
    asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
      constructor(...options) {
        super(...options);
        storages.push(this);
      }
    };
  }

  async teardown() {
    if (visitsStorages) asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    for (const storage of this.#storages.splice(0)) storage.disable();
    await super.teardown();
  }
}
