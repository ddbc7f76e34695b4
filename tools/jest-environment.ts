import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

type Config = ConstructorParameters<typeof ModernFakeTimers>[0]['config'];

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

/** Runs test files in the context of the process (`jest-runtime.ts`), and takes back what a file changes in the process. */
export default class ProcessEnvironment {
  readonly global = globalThis;
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly #file: string;
  readonly #cpuBefore = cpuSeconds();
  readonly #before = {
    env: { ...process.env },
    exit: process.exit,
    exitCode: process.exitCode,
    console: globalThis.console,
  };

  constructor({ projectConfig }: { readonly projectConfig: Config }, { testPath }: { readonly testPath: string }) {
    this.fakeTimersModern = new ModernFakeTimers({ global: globalThis, config: projectConfig });
    this.#file = testPath;
  }

  /** What tests call of the object `jest`. */
  get jest() {
    const timers = this.fakeTimersModern;
    return {
      useFakeTimers: () => timers.useFakeTimers(),
      useRealTimers: () => timers.useRealTimers(),
      getTimerCount: () => timers.getTimerCount(),
      advanceTimersByTimeAsync: (ms: number) => timers.advanceTimersByTimeAsync(ms),
      spyOn: this.moduleMocker.spyOn.bind(this.moduleMocker),
    };
  }

  getVmContext(): null {
    return null;
  }

  setup(): void {
    // Jest asks for 100 frames of each error, also of those that the server makes and catches.
    Error.stackTraceLimit = 10;
  }

  /** Also notes the CPU of the file for `jest-totals.ts`: a process runs one file at a time. */
  teardown(): void {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    const { env, exit, exitCode, console } = this.#before;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.exit = exit;
    process.exitCode = exitCode;
    globalThis.console = console;
    const folder = process.env['MNEME_TEST_TIMES'];
    const line = `${(cpuSeconds() - this.#cpuBefore).toFixed(2)} ${this.#file}\n`;
    if (folder !== undefined) appendFileSync(join(folder, String(process.pid)), line);
  }
}
