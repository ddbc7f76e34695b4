import type { ExactRows } from '../../src/search/vectors/row-file.ts';

/** Exact vectors of an index that has no folder. */
export class MemoryRows implements ExactRows {
  private readonly rows = new Map<number, { readonly key: number; readonly row: Float32Array }>();

  write(slot: number, key: number, row: Float32Array): void {
    this.rows.set(slot, { key, row: row.slice() });
  }

  read(slot: number, key: number): Float32Array | undefined {
    const found = this.rows.get(slot);
    return found?.key === key ? found.row : undefined;
  }

  /** Makes the vector of a slot unreadable. */
  damage(slot: number): void {
    this.rows.delete(slot);
  }

  close(): void {
    this.rows.clear();
  }
}

export const newMemoryRows = (): MemoryRows => new MemoryRows();
