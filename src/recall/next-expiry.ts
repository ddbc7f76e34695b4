import type { Micros } from '../memory/memory.ts';
import type { NamespaceColumns } from './namespace-columns.ts';

const UNKNOWN = 0;

/** When the next memory of a namespace expires; looked for again only after a change, or once it has come. */
export class NextExpiry {
  private readonly columns: NamespaceColumns;
  private fromUs: Micros = 0;
  private atUs: Micros = UNKNOWN;

  constructor(columns: NamespaceColumns) {
    this.columns = columns;
  }

  /** To be called after every change of the columns. */
  forget(): void {
    this.atUs = UNKNOWN;
  }

  /** Of those that have not expired; `Infinity` when none will. */
  afterUs(nowUs: Micros): Micros {
    const { columns } = this;
    if (!columns.hasHidden) return Number.POSITIVE_INFINITY;
    if (this.fromUs <= nowUs && nowUs < this.atUs) return this.atUs;
    let nextUs = Number.POSITIVE_INFINITY;
    for (let sequence = 1; sequence < columns.end; sequence++) {
      const expiresAtUs = columns.expiresAtUs(sequence);
      if (columns.has(sequence) && expiresAtUs > nowUs && expiresAtUs < nextUs) nextUs = expiresAtUs;
    }
    this.fromUs = nowUs;
    this.atUs = nextUs;
    return nextUs;
  }
}
