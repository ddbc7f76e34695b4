import { parsedContent } from '../../memory/derive-text.ts';
import { type ContentValue, valuesOf } from '../../memory/values.ts';
import type { NamespaceColumns } from '../recall/namespace-columns.ts';
import type { LogEntry, NamespaceEntry, NamespaceSource } from '../recall/namespace-source.ts';
import { Bits } from './bits.ts';
import type { Current, FilterColumn } from './filter-column.ts';

/** Time for which a recall reads a column that it needs; the background reads the rest. */
const READ_MS = 250;
/** Columns of paths that are kept. */
const PATHS_MAX = 64;
/** Memory of one column for different values; columns with more are not kept. */
const DICTIONARY_BYTES_MAX = 64 * 1024 * 1024;
/** Above this share of changed memories columns are read again as a whole. */
const CHANGED_SHARE_MAX = 1 / 8;
const CHANGED_MIN = 2000;

/** Where columns are read from. */
export interface Reading {
  readonly source: NamespaceSource;
  readonly entry: NamespaceEntry;
}

interface Kept {
  readonly column: FilterColumn;
  isRead: boolean;
}

/**
 * The fields and values that filters look at, of all memories of a namespace, in the memory of the search thread. A
 * column is read when the first filter needs it and follows the change log from then on.
 */
export class FilterColumns {
  readonly columns: NamespaceColumns;
  /** By field, or by the name of a path. Paths in the order of use. */
  private readonly kept = new Map<string, Kept>();
  /** Names of columns with too many different values. */
  private readonly refused = new Set<string>();
  /** Memories that exist. */
  private present = Bits.none(0);
  /** Memories whose values are not all indexed. */
  private partial: Bits | undefined;
  /** Sequences of memories that have changed since the columns were last brought up to date. */
  private readonly changed = new Set<number>();
  private isUsed = false;

  constructor(columns: NamespaceColumns) {
    this.columns = columns;
  }

  /** To be called after a change of the namespace was applied to its `NamespaceColumns`. */
  apply({ kind, key }: LogEntry, { firstKey }: NamespaceEntry): void {
    if (!this.isUsed || key <= firstKey) return;
    // Other entries change only what counts accesses and places in tiers.
    if ((kind === 'other' || kind === 'embedded') && !this.hasPart('access')) return;
    this.changed.add(key - firstKey);
    if (this.changed.size > Math.max(CHANGED_MIN, this.columns.size * CHANGED_SHARE_MAX)) this.forget();
  }

  /** Brings the columns up to date; only between `begin` and `end` of the source, with all changes applied. */
  open(reading: Reading): void {
    this.begin();
    this.update(reading, Number.POSITIVE_INFINITY);
  }

  /** All memories. */
  get all(): Bits {
    return this.present.sized(this.columns.end);
  }

  /** Reads columns and changes for about `budgetMs`; false when there is nothing left to read. */
  advance(reading: Reading, budgetMs: number): boolean {
    if (!this.isUsed) return false;
    const untilMs = performance.now() + budgetMs;
    if (!this.update(reading, untilMs)) return true;
    for (const [name, kept] of this.kept) {
      if (!kept.isRead && !this.read(name, kept, reading, untilMs)) return true;
    }
    return false;
  }

  get bytes(): number {
    let bytes = this.present.bytes + (this.partial?.bytes ?? 0) + this.changed.size * 32;
    for (const { column } of this.kept.values()) bytes += column.bytes;
    return bytes;
  }

  /** `undefined` while it is not read, or when it is too large to be kept. */
  columnOf<C extends FilterColumn>(name: string, reading: Reading, make: () => C): C | undefined {
    if (this.refused.has(name)) return undefined;
    let kept = this.kept.get(name);
    if (!kept) {
      kept = { column: make(), isRead: false };
      this.kept.set(name, kept);
      this.dropPaths();
    } else if (kept.column.part === 'content') {
      this.kept.delete(name);
      this.kept.set(name, kept);
    }
    if (!kept.isRead) this.read(name, kept, reading, performance.now() + READ_MS);
    return kept.isRead && this.kept.has(name) ? (kept.column as C) : undefined;
  }

  partialIn({ source, entry }: Reading): Bits {
    if (!this.partial) {
      this.partial = Bits.none(this.columns.end);
      for (const key of source.filterRows.partialKeys(entry)) this.partial.add(key - entry.firstKey);
    }
    return this.partial;
  }

  private begin(): void {
    if (this.isUsed) return;
    this.isUsed = true;
    this.present = Bits.none(this.columns.end);
    for (let sequence = 1; sequence < this.columns.end; sequence++) {
      if (this.columns.has(sequence)) this.present.add(sequence);
    }
  }

  private forget(): void {
    this.kept.clear();
    this.refused.clear();
    this.changed.clear();
    this.partial = undefined;
    this.isUsed = false;
  }

  /** True when the column is read. */
  private read(name: string, kept: Kept, { source, entry }: Reading, untilMs: number): boolean {
    kept.isRead = kept.column.read(source, entry, untilMs);
    this.checkSize(name, kept);
    return kept.isRead;
  }

  private checkSize(name: string, { column }: Kept): void {
    if (column.dictionaryBytes <= DICTIONARY_BYTES_MAX) return;
    this.kept.delete(name);
    this.refused.add(name);
  }

  private dropPaths(): void {
    const paths = [...this.kept].filter(([, { column }]) => column.part === 'content');
    for (const [name] of paths.slice(0, Math.max(0, paths.length - PATHS_MAX))) this.kept.delete(name);
  }

  private hasPart(...parts: readonly FilterColumn['part'][]): boolean {
    for (const { column } of this.kept.values()) if (parts.includes(column.part)) return true;
    return false;
  }

  /** Brings all columns up to date; false when the time was up before. */
  private update(reading: Reading, untilMs: number): boolean {
    if (this.changed.size === 0) return true;
    const { end } = this.columns;
    this.present = this.present.sized(end);
    if (this.partial) this.partial = this.partial.sized(end);
    const isBodyNeeded = this.hasPart('body', 'content');
    for (const sequence of this.changed) {
      this.updateOne(sequence, reading, isBodyNeeded);
      this.changed.delete(sequence);
      if (performance.now() >= untilMs) return this.changed.size === 0;
    }
    for (const [name, kept] of this.kept) this.checkSize(name, kept);
    return true;
  }

  private updateOne(sequence: number, { source, entry }: Reading, isBodyNeeded: boolean): void {
    const key = entry.firstKey + sequence;
    const fields = source.filterRows.fields(entry, key);
    if (fields) this.present.add(sequence);
    else this.present.delete(sequence);
    if (fields?.isPartial) this.partial?.add(sequence);
    else this.partial?.delete(sequence);
    if (this.kept.size === 0) return;
    const memory = fields && (isBodyNeeded ? source.read(entry, key) : fields.memory);
    const values = this.hasPart('content') && memory ? valuesByPath(parsedContent(memory.content)) : NO_VALUES;
    const current: Current | undefined = memory && { memory, values };
    for (const { column } of this.kept.values()) column.put(sequence, current);
  }
}

const NO_VALUES: Current['values'] = new Map();

function valuesByPath(json: unknown): Current['values'] {
  if (json === undefined) return NO_VALUES;
  const found = new Map<string, ContentValue['value'][]>();
  for (const { path, value } of valuesOf(json).values) {
    const known = found.get(path);
    if (known) known.push(value);
    else found.set(path, [value]);
  }
  return found;
}
