import { type Mneme, MnemeError, type WatchEvent } from '../../../clients/typescript/src/index.ts';
import { markOfMemory } from './entries.ts';
import { CHECKPOINT, VALUE } from './lane.ts';
import type { Entry, Finding } from './model.ts';
import { SentChanges } from './sent-changes.ts';

/** Time within which a stream reaches the newest revision. */
const PATIENCE_MS = 60_000;

/** Follows the change log over all restarts, each time from where the last stream broke. */
export class Watcher {
  private resumeToken = '';
  private revision = 0;
  private readonly sent = new SentChanges();
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

  /** Compares what was sent since the last call with the effects of that time, and forgets it. */
  verify(effects: readonly Entry[], markOf: (id: string) => string | undefined): Finding[] {
    const ofMemories = effects.filter(({ id }) => !id.startsWith(VALUE) && !id.startsWith(CHECKPOINT));
    return [...this.findings.splice(0), ...this.sent.verify(ofMemories, markOf)];
  }

  private async read(mneme: Mneme, signal: AbortSignal, isEnough: (revision: number) => boolean): Promise<void> {
    const from = this.resumeToken === '' ? { startRevision: 1 } : { resumeToken: this.resumeToken };
    let revision = 0;
    try {
      for await (const event of mneme.watch(
        { ...from, progress: true, onCompacted: 'fail' },
        { signal, patienceMs: 0 },
      )) {
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
    if (event.kind === 'deleted') this.sent.add(event.id, null);
    else if (event.memory && event.kind !== 'moved') this.sent.add(event.id, markOfMemory(event.memory, false));
  }
}
