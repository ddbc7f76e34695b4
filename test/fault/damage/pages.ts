import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { databaseFileIn } from '../../../src/storage/sqlite/database.ts';
import type { TestRandom } from '../../support/random.ts';

/** A page of a table or an index. */
export interface Page {
  readonly owner: string;
  readonly number: number;
  readonly kind: 'leaf' | 'internal' | 'overflow';
}

/** Ways in which a page is no longer what was written. */
export const FAULTS = ['random', 'zeros', 'shuffled'] as const;
export type Fault = (typeof FAULTS)[number];

const PAGE_BYTES = 4096;
/** Bytes of the first page that hold the header of the file, which SQLite reads before anything else. */
const HEADER_BYTES = 100;

/** The pages of a closed database by what they belong to. */
export function pagesOf(folder: string): Page[] {
  const database = new Database(databaseFileIn(folder), { readonly: true });
  try {
    return database
      .prepare<[], Page>('SELECT name AS owner, pageno AS number, pagetype AS kind FROM dbstat ORDER BY pageno')
      .all();
  } finally {
    database.close();
  }
}

export function damagePage(folder: string, { number }: Page, fault: Fault, random: TestRandom): void {
  const file = openSync(databaseFileIn(folder), 'r+');
  try {
    const start = number === 1 ? HEADER_BYTES : 0;
    const bytes = Buffer.alloc(PAGE_BYTES - start);
    const at = (number - 1) * PAGE_BYTES + start;
    readSync(file, bytes, 0, bytes.length, at);
    if (fault === 'zeros') bytes.fill(0);
    else if (fault === 'random') for (let i = 0; i < bytes.length; i++) bytes[i] = random.int(256);
    else bytes.reverse();
    writeSync(file, bytes, 0, bytes.length, at);
  } finally {
    closeSync(file);
  }
}
