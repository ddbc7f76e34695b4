import type { Test, TestEvents, TestRunnerOptions, TestWatcher } from 'jest-runner';
import jestRunner from 'jest-runner';

// The package's types are those of its CommonJS face; Node gives the module one, whose default is the class.
const TestRunner = jestRunner as unknown as typeof jestRunner.default;

type Listener<Name extends keyof TestEvents> = (event: TestEvents[Name]) => void | Promise<void>;

/**
 * Runs a file once more where V8 itself gave up under it (its failed checks end in SIGTRAP), and says so: under Jest's
 * contexts V8 13 does that now and then, https://github.com/nodejs/node/issues/64500. A crash of a native module is a
 * SIGSEGV or a SIGABRT, and stays the failure that it is.
 */
export default class RunnerOverCrashes extends TestRunner {
  readonly #crashed: Test[] = [];
  #isSecondRun = false;

  override on<Name extends keyof TestEvents>(name: Name, listener: Listener<Name>): () => void {
    if (name !== 'test-file-failure') return super.on(name, listener);
    return super.on('test-file-failure', ([test, error]) => {
      if (this.#isSecondRun || !error.message.includes('signal=SIGTRAP')) {
        return (listener as Listener<'test-file-failure'>)([test, error]);
      }
      process.stderr.write(`V8 crashed under ${test.path}: it is run again\n`);
      this.#crashed.push(test);
    });
  }

  override async runTests(tests: Test[], watcher: TestWatcher, options: TestRunnerOptions): Promise<void> {
    await super.runTests(tests, watcher, options);
    this.#isSecondRun = true;
    if (this.#crashed.length > 0) await super.runTests(this.#crashed.splice(0), watcher, options);
  }
}
