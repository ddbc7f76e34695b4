import { parsedContent } from '../../memory/derive-text.ts';
import type { Content } from '../../memory/memory.ts';
import { comparedState } from '../../memory/states/state.ts';
import type { NamespaceColumns } from '../recall/namespace-columns.ts';
import type { LogEntry, NamespaceEntry, NamespaceSource } from '../recall/namespace-source.ts';
import { TEXT_KINDS } from '../recall/text-reading.ts';
import { KeptStates } from './kept-states.ts';

/** Contents read between two checks of the clock. */
const CONTENTS_AT_ONCE = 32;
const DONE = Number.POSITIVE_INFINITY;

/**
 * Reads the states of one namespace into memory, from the first comparison of states there: in slices of some 20 µs a
 * memory, and afterwards with each change.
 */
export class StateReading {
  readonly states = new KeptStates();
  private readonly firstKey: number;
  /** Contents of rows from this key on are not read yet. */
  private nextKey: number;

  constructor({ firstKey }: NamespaceEntry) {
    this.firstKey = firstKey;
    this.nextKey = firstKey;
  }

  get isDone(): boolean {
    return this.nextKey === DONE;
  }

  get bytes(): number {
    return this.states.bytes;
  }

  /** Reads for about `budgetMs`; false when all is read. */
  advance(source: NamespaceSource, entry: NamespaceEntry, columns: NamespaceColumns, budgetMs: number): boolean {
    const untilMs = performance.now() + budgetMs;
    while (!this.isDone && performance.now() < untilMs) {
      const rows = source.contents(entry, this.nextKey, CONTENTS_AT_ONCE);
      for (const { key, content } of rows) this.put(key - this.firstKey, content, columns);
      const last = rows.at(-1);
      this.nextKey = last && rows.length === CONTENTS_AT_ONCE ? last.key + 1 : DONE;
    }
    return !this.isDone;
  }

  /** Rows whose content is not read yet are read when their turn comes. */
  apply({ kind, key }: LogEntry, source: NamespaceSource, columns: NamespaceColumns): void {
    if (key >= this.nextKey || !TEXT_KINDS.has(kind)) return;
    const sequence = key - this.firstKey;
    const content = columns.has(sequence) ? source.content(key) : undefined;
    this.put(sequence, content, columns);
  }

  private put(sequence: number, content: Content | undefined, columns: NamespaceColumns): void {
    const state = comparedState(parsedContent(content));
    this.states.put(sequence, state?.leaves ?? [], columns.eventAtUs(sequence));
  }
}
