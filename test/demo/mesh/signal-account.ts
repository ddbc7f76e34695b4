/** A message of a caller about either, as in `Told`. */
interface Sent {
  readonly delivered?: string;
  readonly answered?: 'has' | 'lacks';
  readonly text?: string;
}

/** What durable subscriptions and standing queries have sent, by caller and namespace. */
export class SignalAccount {
  /** Signals that were acknowledged, by namespace and id. */
  readonly stored = new Set<string>();
  /** Changes as `kind namespace/id`, in the order of their first delivery: each server numbers changes itself. */
  readonly delivered = new Map<string, Set<string>>();
  /** Texts of the last answer, by namespace and id. */
  readonly answers = new Map<string, Map<string, string>>();
  /** The last text of each memory in any answer, by namespace and id. */
  readonly shown = new Map<string, Map<string, string>>();
  deliveryCount = 0;

  hear(stream: string, key: string, { delivered, answered, text = '' }: Sent): void {
    if (delivered !== undefined) {
      this.deliveryCount += 1;
      at(this.delivered, stream, () => new Set()).add(`${delivered} ${key}`);
    }
    if (answered === 'has') {
      for (const all of [this.answers, this.shown]) at(all, stream, () => new Map()).set(key, text);
    }
    if (answered === 'lacks') this.answers.get(stream)?.delete(key);
  }

  /** Whether a memory that was stored has arrived by both. */
  has(stream: string, key: string): boolean {
    return this.delivered.get(stream)?.has(`stored ${key}`) === true && this.answers.get(stream)?.has(key) === true;
  }
}

function at<T>(all: Map<string, T>, stream: string, make: () => T): T {
  const there = all.get(stream) ?? make();
  all.set(stream, there);
  return there;
}
