import { orderOf } from './entries.ts';
import type { Entry, Finding } from './model.ts';

/** Changes that a watcher was sent, compared with those that were acknowledged. */
export class SentChanges {
  /** Marks by memory, in the order of the stream; `null` for its end. */
  private readonly sent = new Map<string, (string | null)[]>();

  add(id: string, mark: string | null): void {
    const sent = this.sent.get(id) ?? [];
    this.sent.set(id, sent);
    sent.push(mark);
  }

  /** Compares what was sent since the last call with the effects of that time, and forgets it. */
  verify(effects: readonly Entry[], markOf: (id: string) => string | undefined): Finding[] {
    const findings: Finding[] = [];
    for (const { id, mark } of effects) {
      const sent = this.sent.get(id) ?? [];
      // What a change left is not sent once the memory is erased.
      const isErased = markOf(id) === undefined;
      if (sent.includes(isErased ? null : mark)) continue;
      const change = mark ?? 'its end';
      findings.push({ kind: 'missed', text: `${id}: the change to ${change} was not sent (${sent.join(', ')})` });
    }
    for (const [id, marks] of this.sent) {
      const orders = marks.flatMap((mark) => (mark === null ? [] : [orderOf(mark)]));
      if (orders.some((order, at) => order <= (orders[at - 1] ?? 0))) {
        findings.push({ kind: 'missed', text: `${id}: changes repeated or in the wrong order: ${marks.join(', ')}` });
      }
      const last = marks.at(-1);
      if ((last ?? undefined) !== markOf(id)) {
        findings.push({ kind: 'missed', text: `${id}: the last change is ${last}, the memory has ${markOf(id)}` });
      }
    }
    this.sent.clear();
    return findings;
  }
}
