import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type ProcessEnvironment from './jest-environment.ts';
import { setGlobals } from './jest-globals.ts';

const require = createRequire(import.meta.url);
const GLOBALS = new URL('./jest-globals.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
});

/**
 * Loads test files as Node loads any module: once for a process, in its own context. The modules under test are loaded, and
 * compiled by V8, once for all the files that a process runs; in contexts of their own, each of 600 files did so.
 */
export default class ModulesOfNode {
  readonly #environment: ProcessEnvironment;

  constructor(_config: unknown, environment: ProcessEnvironment) {
    this.#environment = environment;
  }

  unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  async unstable_importModule(path: string): Promise<void> {
    await import(pathToFileURL(path).href);
  }

  /** Jest's runner of tests has state of one file: it is loaded again for each. */
  requireInternalModule(path: string): unknown {
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
    Reflect.deleteProperty(require.cache, path);
    return require(path);
  }

  requireModule(path: string): unknown {
    return require(path);
  }

  setGlobalsForRuntime(globals: Omit<Parameters<typeof setGlobals>[0], 'jest'>): void {
    setGlobals({ ...globals, jest: this.#environment.jest });
  }

  enterTestCode(): void {}

  leaveTestCode(): void {}

  getSourceMaps(): null {
    return null;
  }

  getAllCoverageInfoCopy(): undefined {
    return undefined;
  }

  teardown(): void {}
}
