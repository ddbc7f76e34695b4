/** A message of a worker, as in `Told`. */
interface Sent {
  readonly namespace?: string;
  readonly worked?: string;
  readonly left?: string;
}

/** What the work queues have delivered, as `kind namespace/id`. */
export class WorkAccount {
  /** Changes that workers had, and acknowledged. */
  readonly worked = new Set<string>();
  /** Changes that were delivered when all workers had left. */
  readonly afterwards: string[] = [];
  deliveryCount = 0;
  private readonly leftCounts = new Map<string, number>();

  hear(key: string, { worked, left }: Sent): void {
    if (worked !== undefined) {
      this.deliveryCount += 1;
      this.worked.add(`${worked} ${key}`);
    }
    if (left !== undefined) this.leftCounts.set(left, this.leftCountOf(left) + 1);
  }

  /** Workers that have left the work queue of a namespace. */
  leftCountOf(namespace: string): number {
    return this.leftCounts.get(namespace) ?? 0;
  }
}
