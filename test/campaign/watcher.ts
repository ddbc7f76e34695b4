import { type Mneme, MnemeError, type WatchEvent } from '../../clients/typescript/src/index.ts';
import { markOfMemory, orderOf } from './entries.ts';
import { CHECKPOINT, VALUE } from './lane.ts';
import type { Entry, Finding } from './model.ts';

/** Time within which a stream reaches the newest revision. */
const PATIENCE_MS = 60_000;

/** Follows the change log over all restarts, each time from where the last stream broke. */
export class Watcher {
  private resumeToken = '';
  private revision = 0;
  /** Marks that were sent in this round, by memory; `null` for its end. */
  private readonly sent = new Map<string, (string | null)[]>();
  private readonly findings: Finding[] = [];
  private stopping = new AbortController();
  private following: Promise<void> = Promise.resolve();

  /** Reads until the stream breaks or `stop` is called. */
  follow(mneme: Mneme): void {
    this.stopping = new AbortController();
    this.following = this.read(mneme, this.stopping.signal, () => false);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.following;
  }

  /** Reads everything up to the revision. */
  async catchUp(mneme: Mneme, revision: number): Promise<void> {
    const limit = AbortSignal.timeout(PATIENCE_MS);
    await this.read(mneme, limit, (reached) => reached >= revision);
    if (limit.aborted) this.findings.push({ kind: 'missed', text: `the watcher did not reach revision ${revision}` });
  }

  /** Compares what was sent in the round with the acknowledged changes, and forgets it. */
  verify(acknowledged: readonly Entry[], markOf: (id: string) => string | undefined): Finding[] {
    const findings = this.findings.splice(0);
    const ids = new Set<string>();
    for (const { id, mark } of acknowledged) {
      if (id.startsWith(VALUE) || id.startsWith(CHECKPOINT)) continue;
      ids.add(id);
      const sent = this.sent.get(id) ?? [];
      // What a change left is not sent once the memory is erased.
      const isErased = markOf(id) === undefined;
      if (!sent.includes(isErased ? null : mark)) {
        findings.push({
          kind: 'missed',
          text: `${id}: the change to ${mark ?? 'its end'} was not sent (${sent.join(', ')})`,
        });
      }
    }
    for (const [id, marks] of this.sent) {
      const orders = marks.flatMap((mark) => (mark === null ? [] : [orderOf(mark)]));
      if (orders.some((order, at) => order < (orders[at - 1] ?? 0))) {
        findings.push({ kind: 'missed', text: `${id}: changes in the wrong order: ${marks.join(', ')}` });
      }
      const last = marks.at(-1);
      if (last !== undefined && (last ?? undefined) !== markOf(id)) {
        findings.push({ kind: 'missed', text: `${id}: the last change is ${last}, the memory has ${markOf(id)}` });
      }
    }
    this.sent.clear();
    return findings;
  }

  private async read(mneme: Mneme, signal: AbortSignal, isEnough: (revision: number) => boolean): Promise<void> {
    const from = this.resumeToken === '' ? { startRevision: 1 } : { resumeToken: this.resumeToken };
    let revision = 0;
    try {
      for await (const event of mneme.watch({ ...from, onCompacted: 'fail' }, { signal, patienceMs: 0 })) {
        if (event.revision < revision) {
          this.findings.push({ kind: 'missed', text: `revision ${event.revision} was sent after ${revision}` });
        }
        revision = event.revision;
        this.take(event);
        if (event.kind === 'caught_up' && isEnough(event.revision)) return;
      }
    } catch (error) {
      const isBroken = error instanceof MnemeError && (error.code === 'UNAVAILABLE' || error.code === 'CANCELLED');
      if (isBroken) return;
      this.findings.push({ kind: 'missed', text: `the stream ended after ${this.revision}: ${String(error)}` });
    }
  }

  private take(event: WatchEvent): void {
    if (!('resumeToken' in event)) return;
    this.resumeToken = event.resumeToken;
    // A stream that breaks within a message begins again with the message.
    const isKnown = event.revision <= this.revision;
    this.revision = Math.max(this.revision, event.revision);
    if (isKnown || event.kind === 'caught_up' || event.id === '') return;
    const sent = this.sent.get(event.id) ?? [];
    this.sent.set(event.id, sent);
    if (event.kind === 'deleted') sent.push(null);
    else if (event.memory && event.kind !== 'moved') sent.push(markOfMemory(event.memory, false));
  }
}
