/** A message of a worker, as in `Told`. */
interface Sent {
  readonly namespace?: string;
  readonly worked?: string;
  readonly left?: string;
  readonly broken?: string;
}

/** What the work queues have delivered, as `kind namespace/id`. */
export class WorkAccount {
  /** Changes that workers had, and acknowledged. */
  readonly worked = new Set<string>();
  /** Those since the last break of a stream, with which acknowledgements may be lost. */
  readonly surelyAcknowledged = new Set<string>();
  /** Changes that were delivered when all workers had left. */
  readonly afterwards: string[] = [];
  deliveryCount = 0;
  private readonly leftCounts = new Map<string, number>();

  hear(key: string, { worked, left, broken }: Sent): void {
    if (broken !== undefined) this.surelyAcknowledged.clear();
    if (worked !== undefined) {
      this.deliveryCount += 1;
      this.worked.add(`${worked} ${key}`);
      this.surelyAcknowledged.add(`${worked} ${key}`);
    }
    if (left !== undefined) this.leftCounts.set(left, this.leftCountOf(left) + 1);
  }

  /** Workers that have left the work queue of a namespace. */
  leftCountOf(namespace: string): number {
    return this.leftCounts.get(namespace) ?? 0;
  }
}
