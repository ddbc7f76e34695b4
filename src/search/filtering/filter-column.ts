import { fieldValues } from '../../memory/field-values.ts';
import type { Memory } from '../../memory/memory.ts';
import type { ContentValue } from '../../memory/values.ts';
import type { ColumnField } from '../recall/filter-rows.ts';
import type { NamespaceEntry, NamespaceSource } from '../recall/namespace-source.ts';
import { NumberColumn } from './number-column.ts';
import { ValueColumn } from './value-column.ts';

/** Rows of the store that are read at once. */
const ROWS_AT_ONCE = 2000;

/** A memory as it is now. */
export interface Current {
  /** Of the fields alone where no column needs more. */
  readonly memory: Memory;
  /** Values of its content by path. */
  readonly values: ReadonlyMap<string, readonly ContentValue['value'][]>;
}

/** What a filter looks at, of all memories of a namespace: read when a filter needs it first, then kept current. */
export interface FilterColumn {
  /** Which part of a memory it is made of. */
  readonly part: 'fields' | 'access' | 'body' | 'content';
  /** Reads until an instant of `performance.now()`; false while there is more to read. */
  read(source: NamespaceSource, entry: NamespaceEntry, untilMs: number): boolean;
  /** A memory has changed; `undefined` when it is gone. */
  put(sequence: number, current: Current | undefined): void;
  readonly bytes: number;
  /** Part of `bytes` that grows with the number of different values. */
  readonly dictionaryBytes: number;
}

/** Reads pages of rows until an instant; `page` returns false after the last one. */
function readPages(untilMs: number, page: () => boolean): boolean {
  while (page()) if (performance.now() >= untilMs) return false;
  return true;
}

const ACCESS: readonly ColumnField[] = ['retrieval_count', 'last_access_time', 'revision', 'tier'];
const BODY: readonly ColumnField[] = ['source_uri', 'source_origin'];

function partOf(field: ColumnField): FilterColumn['part'] {
  if (ACCESS.includes(field)) return 'access';
  return BODY.includes(field) ? 'body' : 'fields';
}

/** A field of one value at most; times in microseconds. */
abstract class FieldColumn implements FilterColumn {
  readonly part: FilterColumn['part'];
  abstract readonly bytes: number;
  abstract readonly dictionaryBytes: number;
  private readonly field: ColumnField;
  private next = 0;

  constructor(field: ColumnField) {
    this.field = field;
    this.part = partOf(field);
  }

  read(source: NamespaceSource, entry: NamespaceEntry, untilMs: number): boolean {
    return readPages(untilMs, () => {
      const rows = source.filterRows.fieldColumn(entry, this.field, this.next, ROWS_AT_ONCE);
      for (const { key, value } of rows) {
        if (value !== null) this.set(key - entry.firstKey, value);
        this.next = key + 1;
      }
      return rows.length === ROWS_AT_ONCE;
    });
  }

  put(sequence: number, current: Current | undefined): void {
    const [value] = current ? fieldValues(current.memory, this.field) : [];
    this.set(sequence, typeof value === 'object' ? value.timeUs : value);
  }

  /** Replaces the value of a memory. */
  protected abstract set(sequence: number, value: string | number | boolean | undefined): void;
}

export class TextFieldColumn extends FieldColumn {
  readonly values = new ValueColumn<string>();

  get bytes(): number {
    return this.values.bytes;
  }

  get dictionaryBytes(): number {
    return this.values.dictionaryBytes;
  }

  protected override set(sequence: number, value: string | number | boolean | undefined): void {
    this.values.put(sequence, typeof value === 'string' ? [value] : []);
  }
}

export class NumberFieldColumn extends FieldColumn {
  readonly numbers = new NumberColumn();
  readonly dictionaryBytes = 0;

  get bytes(): number {
    return this.numbers.bytes;
  }

  protected override set(sequence: number, value: string | number | boolean | undefined): void {
    this.numbers.set(sequence, typeof value === 'number' ? value : undefined);
  }
}

/** The tags. */
export class TagColumn implements FilterColumn {
  readonly part = 'body';
  readonly values = new ValueColumn<string>();
  private last: { readonly tag: string; readonly key: number } = { tag: '', key: 0 };

  read(source: NamespaceSource, entry: NamespaceEntry, untilMs: number): boolean {
    return readPages(untilMs, () => {
      const rows = source.filterRows.tagColumn(entry, this.last, ROWS_AT_ONCE);
      for (const { key, tag } of rows) this.values.add(key - entry.firstKey, tag);
      this.last = rows.at(-1) ?? this.last;
      return rows.length === ROWS_AT_ONCE;
    });
  }

  put(sequence: number, current: Current | undefined): void {
    this.values.put(sequence, current?.memory.tags ?? []);
  }

  get bytes(): number {
    return this.values.bytes;
  }

  get dictionaryBytes(): number {
    return this.values.dictionaryBytes;
  }
}

/**
 * The values at one path of JSON contents, as far as they are indexed. The number of a memory that has no other value
 * at the path is kept apart: numbers are often all different.
 */
export class PathColumn implements FilterColumn {
  readonly part = 'content';
  readonly numbers = new NumberColumn();
  readonly values = new ValueColumn<ContentValue['value']>();
  private readonly path: string;
  private last: { readonly term: string; readonly key: number } = { term: '', key: 0 };

  /** `path`: as `pathKey` writes it. */
  constructor(path: string) {
    this.path = path;
  }

  read(source: NamespaceSource, entry: NamespaceEntry, untilMs: number): boolean {
    return readPages(untilMs, () => {
      const rows = source.filterRows.pathColumn(entry, this.path, this.last, ROWS_AT_ONCE);
      for (const { key, value } of rows) this.add(key - entry.firstKey, value);
      this.last = rows.at(-1) ?? this.last;
      return rows.length === ROWS_AT_ONCE;
    });
  }

  put(sequence: number, current: Current | undefined): void {
    const values = current?.values.get(this.path) ?? [];
    const [first] = values;
    const isNumber = typeof first === 'number' && values.length === 1;
    this.numbers.set(sequence, isNumber ? first : undefined);
    this.values.put(sequence, isNumber ? [] : values);
  }

  get bytes(): number {
    return this.numbers.bytes + this.values.bytes;
  }

  get dictionaryBytes(): number {
    return this.values.dictionaryBytes;
  }

  private add(sequence: number, value: ContentValue['value']): void {
    const number = this.numbers.at(sequence);
    const others = this.values.of(sequence);
    if (Number.isNaN(number) ? others.length === 0 && typeof value === 'number' : number === value) {
      this.numbers.set(sequence, value as number);
      return;
    }
    if (!Number.isNaN(number)) {
      this.numbers.set(sequence, undefined);
      this.values.add(sequence, number);
    }
    this.values.add(sequence, value);
  }
}
