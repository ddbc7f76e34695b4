import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { databaseFileIn } from '../../../src/storage/sqlite/database.ts';
import type { TestRandom } from '../../support/random.ts';

/** A page of a table or an index. */
export interface Page {
  readonly owner: string;
  readonly number: number;
  readonly kind: 'leaf' | 'internal' | 'overflow';
  readonly cellCount: number;
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
      .prepare<[], Page>(
        'SELECT name AS owner, pageno AS number, pagetype AS kind, ncell AS cellCount FROM dbstat ORDER BY pageno',
      )
      .all();
  } finally {
    database.close();
  }
}

/** Tables whose lost rows a read notices, or the start of a server; `mneme verify` notices more. */
const COUNTED = new Set(['memory_body', 'memory_vector', 'session_entry', 'change_log']);

/** Pages that an older copy of the folder has with fewer rows: what a disk leaves that lost the last writes to them. */
export function stalePagesOf(folder: string, older: string): Page[] {
  const before = new Map(pagesOf(older).map((page) => [page.number, page]));
  return pagesOf(folder).filter((page) => {
    const { owner = '', kind = '', cellCount = 0 } = before.get(page.number) ?? {};
    const isOfOne = owner === page.owner && kind === page.kind;
    return isOfOne && kind === 'leaf' && COUNTED.has(owner) && cellCount < page.cellCount;
  });
}

/** Puts the page of the older copy back. */
export function putBackPage(folder: string, { number }: Page, older: string): void {
  const bytes = Buffer.alloc(PAGE_BYTES);
  const at = (number - 1) * PAGE_BYTES;
  const from = openSync(databaseFileIn(older), 'r');
  const file = openSync(databaseFileIn(folder), 'r+');
  try {
    readSync(from, bytes, 0, PAGE_BYTES, at);
    writeSync(file, bytes, 0, PAGE_BYTES, at);
  } finally {
    closeSync(from);
    closeSync(file);
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
