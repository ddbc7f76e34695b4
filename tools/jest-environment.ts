import { types } from 'node:util';
import { TestEnvironment } from 'jest-environment-node';

const SHARED = [
  'BigInt64Array',
  'BigUint64Array',
  'DataView',
  'Float32Array',
  'Float64Array',
  'Int32Array',
  'Map',
  'Set',
  'Uint16Array',
  'Uint32Array',
] as const;

/** Objects that outlive a test file, such as threads that the servers of the next file use again. */
const ofProcess = {};

/**
 * Jest runs tests in a context with globals of its own, so that what comes from Node, from a native module or from a
 * worker thread is no `instanceof Float32Array`, `Map` or `Error` there. In the server it is, and so it is in tests.
 */
export default class SharedGlobals extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    this.global.ofProcess = ofProcess;
    for (const name of SHARED) Object.defineProperty(this.global, name, { value: globalThis[name], writable: true });
    const contextError = this.global.Error;
    Object.defineProperty(contextError, Symbol.hasInstance, {
      value(this: unknown, thrown: unknown): boolean {
        if (this === contextError && types.isNativeError(thrown)) return true;
        return Function.prototype[Symbol.hasInstance].call(this as () => void, thrown);
      },
    });
  }
}
