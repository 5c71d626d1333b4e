import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin, Module } from 'node:module';
import { compileFunction } from 'node:vm';
import Runtime from 'jest-runtime';

/** The files of source maps, by module. */
const sourceMaps = new Map();
const isOfSuite = new Map();

/** Whether a module uses the `expect` of its suite, so that each suite needs its own. */
function usesJest(path) {
  let uses = isOfSuite.get(path);
  if (uses !== undefined || !path.endsWith('.ts')) return uses === true;
  // For modules that import each other.
  isOfSuite.set(path, false);
  const imported = Array.from(
    readFileSync(path, 'utf8').matchAll(/ from '(@jest\/globals|\..+?)'/g),
    ([, name]) => name,
  );
  uses = imported.some((name) => name === '@jest/globals' || usesJest(createRequire(path).resolve(name)));
  isOfSuite.set(path, uses);
  return uses;
}

Module._extensions['.ts'] = (module, path) => module._compile(SharingRuntime.current.codeOf(path), path);

/**
 * Node itself loads the modules of the product and of its libraries, once for all suites of a worker. Jest loads them anew
 * for each suite, with code that is not optimized yet: docs/decisions/0033-suites-share-modules.md has what that took.
 * So no suite may leave something behind in a module, as no replica may. `jest.mock` has no effect on them.
 */
export default class SharingRuntime extends Runtime {
  /** Of the suite that runs. A worker runs one after the other. */
  static current;

  constructor(...options) {
    super(...options);
    SharingRuntime.current = this;
    // Without the context of its own that Jest gives a suite: its objects would not be instances of our classes.
    this.executor.compile = (code, filename) =>
      compileFunction(code, this.executor.injectedModuleParameters, { filename });
  }

  requireModuleOrMock(from, name) {
    if (name === '@jest/globals') return super.requireModuleOrMock(from, name);
    const path = isBuiltin(name) ? name : this._resolution.resolveCjs(from, name);
    return usesJest(path) ? super.requireModuleOrMock(from, name) : createRequire(from)(path);
  }

  /** Only Jest's runner itself begins anew for each suite. What it requires has no state, or keeps it in a global. */
  requireInternalModule(from, name) {
    return name === undefined ? super.requireInternalModule(from) : createRequire(from)(name);
  }

  /** The JavaScript of a module, from Jest's cache. */
  codeOf(path) {
    const code = this.transformCache.transform(path);
    const map = super.getSourceMaps().get(path);
    if (map !== undefined) sourceMaps.set(path, map);
    return code;
  }

  /** With those of modules that an earlier suite has loaded. */
  getSourceMaps() {
    const maps = super.getSourceMaps();
    for (const [path, map] of sourceMaps) maps.set(path, map);
    return maps;
  }
}
