import { reportFailure } from './failure.ts';

const SHOWN_MAX = 3;

/** Reports the first of many faults of one kind as they come, and at the end the number of the others. */
export class FirstFaults {
  private count = 0;
  private readonly options: { readonly json: boolean };

  constructor(options: { readonly json: boolean }) {
    this.options = options;
  }

  /** Whether the fault is among the first, and reported. */
  report(fault: unknown): boolean {
    this.count++;
    if (this.count > SHOWN_MAX) return false;
    reportFailure(fault, this.options);
    return true;
  }

  /** Reports how many more there were; `what` they are, such as `wrong lines`. */
  reportOthers(what: string): void {
    const others = this.count - SHOWN_MAX;
    if (others > 0 && !this.options.json) process.stderr.write(`mneme: and ${others} more ${what}\n`);
  }
}
