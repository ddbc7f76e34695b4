import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** CPU of this process and of its children that have ended; 0 where there is no /proc. */
function cpuSeconds(): number {
  try {
    // After the name, which may contain spaces: user, system, and both of children, in ticks of 10 ms.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ').slice(11, 15) ?? [];
    return fields.reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return 0;
  }
}

/**
 * Jest runs tests in a context with globals of its own, so that what comes from Node, from a native module or from a
 * worker thread is no `instanceof Float32Array`, `Map` or `Error` there. In the server it is, and so it is in tests.
 */
export default class SharedGlobals extends TestEnvironment {
  readonly #file: string;
  readonly #cpuBefore = cpuSeconds();

  constructor(...[config, context]: ConstructorParameters<typeof TestEnvironment>) {
    super(config, context);
    this.#file = context.testPath;
  }

  /** Notes the CPU of the file for `jest-totals.ts`: a process runs one file at a time. */
  override async teardown(): Promise<void> {
    await super.teardown();
    const folder = process.env['MNEME_TEST_TIMES'];
    const line = `${(cpuSeconds() - this.#cpuBefore).toFixed(2)} ${this.#file}\n`;
    if (folder !== undefined) appendFileSync(join(folder, String(process.pid)), line);
  }

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
