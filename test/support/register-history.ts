/** One write of a value, in logical time. A write without an answer ends never, and may have had no effect. */
interface Written {
  readonly value: number | undefined;
  readonly start: number;
  end: number;
  isAcknowledged: boolean;
}

/**
 * Writes and reads of one value by concurrent callers. A read is right if it returns a write that had begun, and that
 * no acknowledged write lies between: one that began after the answer of the former, and was answered before the read.
 */
export class RegisterHistory {
  private readonly writes: Written[] = [{ value: undefined, start: 0, end: 0, isAcknowledged: true }];
  private readonly clock: { now: number };

  constructor(clock: { now: number }) {
    this.clock = clock;
  }

  /** `undefined` deletes. */
  begin(value: number | undefined): Written {
    const written: Written = {
      value,
      start: ++this.clock.now,
      end: Number.POSITIVE_INFINITY,
      isAcknowledged: false,
    };
    this.writes.push(written);
    return written;
  }

  acknowledge(written: Written): void {
    written.end = ++this.clock.now;
    written.isAcknowledged = true;
  }

  /** The write had no effect. */
  refuse(written: Written): void {
    this.writes.splice(this.writes.indexOf(written), 1);
  }

  startRead(): number {
    return ++this.clock.now;
  }

  mayRead(value: number | undefined, start: number): boolean {
    const end = ++this.clock.now;
    return this.writes.some((write) => write.value === value && write.start < end && !this.isReplaced(write, start));
  }

  /** Acknowledged values that no deletion can have removed. */
  lasting(): number[] {
    const deletions = this.writes.filter(({ value }) => value === undefined);
    return this.writes.flatMap(({ value, start, isAcknowledged }) =>
      value !== undefined && isAcknowledged && deletions.every(({ end }) => end < start) ? [value] : [],
    );
  }

  private isReplaced(former: Written, readStart: number): boolean {
    return this.writes.some(
      ({ isAcknowledged, start, end }) => isAcknowledged && former.end < start && end < readStart,
    );
  }
}
