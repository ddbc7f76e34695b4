const REPORTED_MAX = 10;

/** Losses since the start, for operators: the first few, and the number of further ones. */
export class ReportedLosses {
  private readonly first: string[] = [];
  private moreCount = 0;

  note(loss: string): void {
    if (this.first.length < REPORTED_MAX) this.first.push(loss);
    else this.moreCount++;
  }

  get texts(): readonly string[] {
    if (this.moreCount === 0) return this.first;
    const [what, were] = this.moreCount === 1 ? ['loss', 'was'] : ['losses', 'were'];
    return [...this.first, `${this.moreCount} more ${what} since ${were} reported in the log only`];
  }
}
