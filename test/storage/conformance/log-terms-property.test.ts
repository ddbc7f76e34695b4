import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../../src/memory/errors.ts';
import type { LogPlace } from '../../../src/storage/change-log/change-log.ts';
import { createTables } from '../../../src/storage/sqlite/create-tables.ts';
import { openWritable, type SqliteDatabase } from '../../../src/storage/sqlite/database.ts';
import { placeAt, revisionAt } from '../../../src/storage/sqlite/queries/log.ts';
import { Writer } from '../../../src/storage/sqlite/writer.ts';
import { sized } from '../../support/all-tests.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { NOW_US } from './memory-store/store-of-test.ts';

const RUNS = sized({ sample: 6, nightly: 20 });
const STEPS = 60;
const NAMESPACE = { key: 1, name: 'n' };

/** Writes by revision: the model of a folder, and the state seen by the reader of a token. */
type History = readonly string[];
interface Copy {
  readonly file: string;
  readonly history: History;
  readonly compacted: number;
}
interface Token {
  readonly place: LogPlace;
  readonly seen: History;
}

/** A data folder that is opened, written to, copied, and replaced by a copy, beside a model of its contents. */
class Folder {
  history: History = [];
  compacted = 0;
  database: SqliteDatabase;
  private writer: Writer;
  private file: string;
  private readonly at: string;
  private files = 0;
  private names = 0;

  constructor(at: string) {
    this.at = at;
    this.file = this.newFile();
    createTables(this.file);
    [this.database, this.writer] = this.open();
  }

  write(): void {
    const name = `n${++this.names}`;
    const write = { name, description: '', memoryLimit: 0, atUs: NOW_US };
    this.writer.execute([{ kind: 'createNamespace', ...write }]);
    this.history = [...this.history, name];
  }

  /** A transaction that fails and is rolled back, as on a full disk. */
  failToWrite(): void {
    this.database.exec(`CREATE TEMP TRIGGER full BEFORE UPDATE ON main.meta BEGIN SELECT RAISE(ABORT, 'full'); END`);
    const write = { name: 'failing', description: '', memoryLimit: 0, atUs: NOW_US };
    expect(this.writer.execute([{ kind: 'createNamespace', ...write }]).answers).toMatchObject([{ thrown: {} }]);
    this.database.exec('DROP TRIGGER full');
  }

  compact(random: TestRandom): void {
    const through = random.int(this.history.length + 1);
    this.writer.execute([{ kind: 'compactLog', throughRevision: through, limit: 1000 }]);
    this.compacted = Math.max(this.compacted, through);
  }

  /** A new writer thread replaces a dead one, in the same term: the folder was in use throughout. */
  replaceWriter(term: string): void {
    this.writer = new Writer(this.database, { retentionUs: 1000, term });
  }

  restart(): void {
    this.close();
    [this.database, this.writer] = this.open();
  }

  copy(): Copy {
    const file = this.newFile();
    this.database.prepare('VACUUM INTO ?').run(file);
    return { file, history: this.history, compacted: this.compacted };
  }

  /** Starts on a copy of the copy, so that the copy can be restored more than once. */
  restore({ file, history, compacted }: Copy): void {
    this.close();
    this.file = this.newFile();
    const kept = openWritable(file);
    kept.prepare('VACUUM INTO ?').run(this.file);
    kept.close();
    this.history = history;
    this.compacted = compacted;
    [this.database, this.writer] = this.open();
  }

  close(): void {
    this.database.close();
  }

  private newFile(): string {
    return join(this.at, `${++this.files}.db`);
  }

  private open(): [SqliteDatabase, Writer] {
    const database = openWritable(this.file);
    return [database, new Writer(database, { retentionUs: 1000, term: `term ${++terms}` })];
  }
}

let terms = 0;

describe('terms of a change log', () => {
  let at: string;
  beforeEach(() => {
    at = mkdtempSync(join(tmpdir(), 'mneme-terms-'));
  });
  afterEach(() => rmSync(at, { recursive: true }));

  it(`${RUNS} random histories of a folder › a place is valid exactly where all entries before it are unchanged`, () => {
    const random = seededRandom('log terms');
    const decided = { taken: 0, refused: 0 };
    for (let run = 0; run < RUNS; run++) {
      const folder = new Folder(mkdtempSync(join(at, 'run-')));
      const copies: Copy[] = [folder.copy()];
      const tokens: Token[] = [];
      for (let step = 0; step < STEPS; step++) {
        live(folder, copies, random);
        tokens.push(tokenOf(folder, random));
        for (const token of tokens) decided[check(folder, token, `step ${step} of run ${run}, seed ${random.seed}`)]++;
      }
      expect(uselessTerms(folder)).toBe(0);
      folder.close();
    }
    // A run without decisions proves nothing.
    expect(Math.min(decided.taken, decided.refused)).toBeGreaterThan(RUNS * STEPS);
  }, 120_000);
});

function live(folder: Folder, copies: Copy[], random: TestRandom): void {
  const roll = random.int(20);
  if (roll < 10) folder.write();
  else if (roll < 11) folder.restart();
  else if (roll < 13) folder.failToWrite();
  else if (roll < 14) folder.replaceWriter(`term ${terms}`);
  else if (roll < 17) copies.push(folder.copy());
  else if (roll < 19) folder.restore(random.pick(copies));
  else folder.compact(random);
}

function tokenOf({ database, history, compacted }: Folder, random: TestRandom): Token {
  const revision = compacted + random.int(history.length - compacted + 1);
  return { place: placeAt(database, NAMESPACE, revision), seen: history.slice(0, revision) };
}

function check({ database, history, compacted }: Folder, { place, seen }: Token, when: string): 'taken' | 'refused' {
  const isThere = seen.every((name, index) => history[index] === name);
  let outcome: 'taken' | 'refused' = 'taken';
  try {
    expect(revisionAt(database, NAMESPACE, place)).toBe(place.revision);
  } catch (error) {
    if (!(error instanceof MnemeError) || error.reason !== 'REVISION_COMPACTED') throw error;
    outcome = 'refused';
  }
  // A place before the compacted revision cannot be continued, whatever the answer.
  if (place.revision >= compacted)
    expect({ when, place, outcome }).toEqual({ when, place, outcome: isThere ? 'taken' : 'refused' });
  return outcome;
}

/** Terms without a place that a reader can continue from, except one. */
function uselessTerms({ database, compacted }: Folder): number {
  const count = database
    .prepare<[number], number>('SELECT count(*) FROM log_term WHERE start_revision < ?')
    .pluck()
    .get(compacted);
  return Math.max(0, (count ?? 0) - 1);
}
