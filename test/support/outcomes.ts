/**
 * Counts the tests of a program that runs without Jest. It ends as every suite does, for `tools/steps.sh`: a line
 * `failed: SUITE: NAME` for each failed test, and `N passed, N failed`.
 */
export class Outcomes {
  private readonly suite: string;
  private passed = 0;
  private readonly failed: string[] = [];

  constructor(suite: string) {
    this.suite = suite;
  }

  note(test: string, hasPassed: boolean): void {
    if (hasPassed) this.passed += 1;
    else this.failed.push(test);
  }

  /** Prints the last lines and sets the exit code; a program without tests has failed. */
  finish(): void {
    for (const test of this.failed) console.log(`failed: ${this.suite}: ${test.replaceAll('\n', ' ')}`);
    console.log(`${this.passed} passed, ${this.failed.length} failed`);
    process.exitCode = this.failed.length > 0 || this.passed === 0 ? 1 : 0;
  }
}
