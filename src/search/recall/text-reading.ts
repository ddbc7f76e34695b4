import { passagesOf, type Span } from '../../memory/passages.ts';
import type { KeptTexts } from './kept-texts.ts';
import type { NamespaceColumns } from './namespace-columns.ts';
import type { LogEntry, NamespaceEntry, NamespaceSource, RecallText } from './namespace-source.ts';
import type { NamespaceTexts } from './namespace-texts.ts';

/** Texts processed between two checks of the clock. */
const TEXTS_AT_ONCE = 32;
const DONE = Number.POSITIVE_INFINITY;
/** Changes that may replace or delete a text. */
export const TEXT_KINDS: ReadonlySet<LogEntry['kind']> = new Set(['stored', 'updated', 'resized', 'erased']);

/**
 * Reads the texts of one namespace into memory: in slices, because analysing them takes some 50 µs each, or a tenth of
 * that where an earlier run persisted them and they have not changed since.
 */
export class TextReading {
  /** Texts read or removed since they were last kept. */
  unsavedChanges = 0;
  private readonly texts: NamespaceTexts;
  private readonly firstKey: number;
  /** Texts of rows from this key on are not read yet. */
  private nextKey: number;
  /** Last row whose text was analysed or loaded. */
  private lastKey = 0;
  /** Takes over persisted analyses, step by step. */
  private kept: Iterator<void> | undefined;
  /** Sequences whose texts changed after they were kept: they are read when all else is there. */
  private readonly changed = new Set<number>();
  /** Sequences of long texts whose passages are read after all other texts, and the current one. */
  private readonly long = new Set<number>();
  private atHand: { readonly sequence: number; readonly whole: string; readonly spans: Span[] } | undefined;

  constructor(texts: NamespaceTexts, { firstKey }: NamespaceEntry) {
    this.texts = texts;
    this.firstKey = firstKey;
    this.nextKey = firstKey;
  }

  /** `undefined` until all texts are read. */
  get whole(): NamespaceTexts | undefined {
    return this.isDone ? this.texts : undefined;
  }

  get isDone(): boolean {
    return this.nextKey === DONE && !this.kept && this.changed.size === 0;
  }

  /** False while a passage of a long text is not yet searchable. */
  get arePassagesRead(): boolean {
    return this.long.size === 0 && !this.atHand;
  }

  /** Persisted analyses are taken over, which takes a tenth of the time. */
  get isAdopting(): boolean {
    return this.kept !== undefined;
  }

  get bytes(): number {
    return this.texts.bytes;
  }

  /** Uses persisted analyses instead of the store's texts. Only before any text is read. */
  useKept(kept: KeptTexts): void {
    this.kept = this.texts.adopt(kept);
    this.nextKey = DONE;
    this.lastKey = this.firstKey + kept.counts.length - 1;
  }

  /** Reads for about `budgetMs`, passages last; false when all is read. */
  advance(source: NamespaceSource, entry: NamespaceEntry, columns: NamespaceColumns, budgetMs: number): boolean {
    const untilMs = performance.now() + budgetMs;
    while (!(this.isDone && this.arePassagesRead) && performance.now() < untilMs) {
      if (this.kept) this.adoptOn(this.kept);
      else if (this.nextKey !== DONE) this.readOn(source, entry, columns);
      else if (this.changed.size > 0) this.readChanged(source, columns);
      else this.readPassage(source, columns);
    }
    return !(this.isDone && this.arePassagesRead);
  }

  /**
   * Makes vectors of the sentence encoder for about `budgetMs`; false when there are none left to make, or texts are still
   * being read.
   */
  makeMeanings(source: NamespaceSource, budgetMs: number): boolean {
    const { meanings } = this.texts;
    if (!meanings || !this.isDone || meanings.unmade.size === 0) return false;
    const textOf = (sequence: number) => source.text(this.firstKey + sequence)?.whole;
    const made = meanings.advance(textOf, performance.now() + budgetMs);
    this.unsavedChanges += made;
    return meanings.canAdvance;
  }

  /** Rows whose text is not read yet are read when their turn comes. */
  apply({ kind, key }: LogEntry, source: NamespaceSource, columns: NamespaceColumns): void {
    if (key >= this.nextKey) return;
    if (!TEXT_KINDS.has(kind)) return;
    if (kind === 'stored' && key > this.lastKey) {
      this.nextKey = key;
      return;
    }
    const sequence = key - this.firstKey;
    if (this.kept) this.changed.add(sequence);
    else this.read(sequence, source, columns);
  }

  /** Records a text that changed after the analyses were persisted and before any text was read. */
  noteChanged(key: number): void {
    this.changed.add(key - this.firstKey);
  }

  private adoptOn(kept: Iterator<void>): void {
    if (kept.next().done === true) this.kept = undefined;
  }

  private readOn(source: NamespaceSource, entry: NamespaceEntry, columns: NamespaceColumns): void {
    const rows = source.texts(entry, this.nextKey, TEXTS_AT_ONCE);
    for (const { key, ...text } of rows) this.put(key - this.firstKey, text, columns);
    this.unsavedChanges += rows.length;
    const last = rows.at(-1);
    if (last) this.lastKey = last.key;
    this.nextKey = last && rows.length === TEXTS_AT_ONCE ? last.key + 1 : DONE;
  }

  private readChanged(source: NamespaceSource, columns: NamespaceColumns): void {
    let left = TEXTS_AT_ONCE;
    for (const sequence of this.changed) {
      this.changed.delete(sequence);
      this.read(sequence, source, columns);
      if (--left === 0) return;
    }
  }

  private read(sequence: number, source: NamespaceSource, columns: NamespaceColumns): void {
    const text = columns.has(sequence) ? source.text(this.firstKey + sequence) : undefined;
    if (text === undefined) this.remove(sequence);
    else this.put(sequence, text, columns);
    this.unsavedChanges++;
  }

  private put(sequence: number, text: RecallText, columns: NamespaceColumns): void {
    this.remove(sequence);
    if (this.texts.put(sequence, text, columns).length > 0) this.long.add(sequence);
  }

  private remove(sequence: number): void {
    this.long.delete(sequence);
    if (this.atHand?.sequence === sequence) this.atHand = undefined;
    this.texts.remove(sequence);
  }

  /** One passage after the other, as reading all of a text at once would hold up everybody. */
  private readPassage(source: NamespaceSource, columns: NamespaceColumns): void {
    this.atHand ??= this.nextLong(source);
    if (!this.atHand) return;
    const { sequence, whole, spans } = this.atHand;
    const span = spans.pop();
    if (span) this.texts.addPassage(sequence, whole, span, columns);
    if (spans.length === 0) this.atHand = undefined;
  }

  /** The current text, read again: queued texts are not held in memory. */
  private nextLong(source: NamespaceSource): TextReading['atHand'] {
    const [sequence] = this.long;
    if (sequence === undefined) return undefined;
    this.long.delete(sequence);
    const whole = source.text(this.firstKey + sequence)?.whole ?? '';
    return { sequence, whole, spans: [...passagesOf(whole)].reverse() };
  }
}
