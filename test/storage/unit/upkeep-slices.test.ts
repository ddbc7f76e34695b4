import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewMemory } from '../../../src/storage/records.ts';
import type { Command } from '../../../src/storage/sqlite/commands/command.ts';
import { createTables } from '../../../src/storage/sqlite/create-tables.ts';
import { databaseFileIn, openWritable, type SqliteDatabase } from '../../../src/storage/sqlite/database.ts';
import { type BatchAnswer, Writer } from '../../../src/storage/sqlite/writer.ts';
import { brokenRules } from '../../fault/store-faults.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { randomMemory } from '../../support/random-memories.ts';
import { rowsOfStore } from '../../support/rows-of-store.ts';
import { NOW_US, SPACE } from '../conformance/memory-store/store-of-test.ts';

/** Changes of a part that transactions leave before a slice is written, and terms of a slice whose time is over at once. */
const LEFT = 96;
const TERMS = 24;

class Opened {
  readonly database: SqliteDatabase;
  writer: Writer;
  private readonly options = { retentionUs: 3_600_000_000, term: 'term', nowMs: () => this.nowMs() };
  /** Milliseconds that pass between two looks at the time. */
  stepMs = 1;
  private timeMs = 0;

  constructor(folder: string) {
    createTables(databaseFileIn(folder));
    this.database = openWritable(databaseFileIn(folder));
    this.writer = new Writer(this.database, this.options);
  }

  private nowMs(): number {
    this.timeMs += this.stepMs;
    return this.timeMs;
  }

  /** As after a kill: what the writer has in memory is lost. */
  forget(): void {
    this.writer = new Writer(this.database, this.options);
  }

  store(memory: NewMemory, mayWait = true): BatchAnswer {
    const request = { requestId: `r-${memory.id}`.padEnd(36, 'x'), fingerprint: 'f'.repeat(43) };
    const write = {
      namespace: SPACE,
      createNamespace: true,
      onConflict: 'fail',
      atUs: NOW_US,
      memories: [memory],
    } as const;
    return this.run({ kind: 'store', ...write, idempotency: request }, mayWait);
  }

  run(command: Command, mayWait = false): BatchAnswer {
    return this.writer.execute([command], mayWait);
  }

  count(table: string): number {
    return this.database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  }
}

describe('slices of upkeep', () => {
  let folders: string[];
  let opened: Opened;
  beforeEach(() => {
    folders = [mkdtempSync(join(tmpdir(), 'mneme-slices-'))];
    opened = new Opened(folders[0] ?? '');
    opened.store(newMemory({ id: 'first' }));
  });
  afterEach(() => {
    opened.database.close();
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  const words = () => opened.count('memory_words_docsize');
  const unsettled = () => opened.count('memory WHERE is_settled = 0');
  const storeMany = (from: number, count: number) => {
    for (let at = from; at < from + count; at++) opened.store(newMemory({ id: `m${at}`, text: `word${at}` }));
  };

  it('the time is over at once › each store writes one part of what was left, and the rest is left again', () => {
    storeMany(0, LEFT);
    expect([words(), unsettled()]).toEqual([1, LEFT]);
    storeMany(LEFT, 1);
    expect([words(), unsettled()]).toEqual([1 + TERMS, LEFT + 1]);
    storeMany(LEFT + 1, 3);
    expect([words(), unsettled()]).toEqual([1 + LEFT, LEFT + 4]);
    storeMany(LEFT + 4, 1);
    expect([words(), unsettled()]).toEqual([1 + LEFT, 5]);
    expect(opened.count('idempotency')).toBe(1);
    storeMany(LEFT + 5, 3);
    expect(opened.count('idempotency')).toBe(1 + LEFT);
    expect(opened.count("meta WHERE key LIKE 'written%'")).toBe(0);
    expect([words(), unsettled()]).toEqual([1 + LEFT, 8]);
  });

  it('there is time › one store writes all that was left', () => {
    opened.stepMs = 0;
    storeMany(0, LEFT + 1);
    expect([words(), unsettled()]).toEqual([1 + LEFT, 1]);
  });

  it('slices alone › until nothing is left; another command finds all written', () => {
    storeMany(0, LEFT);
    const answers: boolean[] = [];
    do answers.push(opened.run({ kind: 'settleSome' }).isBehind);
    while (answers.at(-1));
    expect(answers.length).toBeGreaterThan(4);
    expect([words(), unsettled()]).toEqual([1 + LEFT, 0]);
    expect(brokenRules(opened.database.name)).toEqual([]);
    storeMany(LEFT, LEFT + 1);
    opened.run({ kind: 'touch', namespace: SPACE, ids: ['m1'], atUs: NOW_US });
    expect([words(), unsettled()]).toEqual([2 + 2 * LEFT, 0]);
    expect(brokenRules(opened.database.name)).toEqual([]);
  });

  it.each(Array.from({ length: 8 }, (_, at) => at))('a kill after %i slices › nothing is written twice', (slices) => {
    const settle = () => opened.run({ kind: 'settleSome' }).isBehind;
    storeMany(0, LEFT);
    for (let done = 0; done < slices; done++) settle();
    opened.forget();
    for (let done = 0; settle() && done < LEFT; done++);
    expect([words(), unsettled()]).toEqual([1 + LEFT, 0]);
    expect(brokenRules(opened.database.name)).toEqual([]);
  });

  it('any writes, a kill or a full disk between any two slices › the same rows as when each transaction writes its upkeep', () => {
    const random = seededRandom('slices of upkeep');
    folders.push(mkdtempSync(join(tmpdir(), 'mneme-slices-eager-')));
    const eager = new Opened(folders[1] ?? '');
    eager.store(newMemory({ id: 'first' }), false);
    let kills = 0;
    let refusals = 0;
    for (let number = 0; number < 700; number++) {
      opened.stepMs = random.int(3) / 4;
      const memory = randomMemory(random, `m${number}`);
      if (random.int(10) === 0) {
        const pages = opened.database.pragma('page_count', { simple: true });
        opened.database.pragma(`max_page_count = ${pages}`);
        const [answer] = opened.store(memory).answers;
        opened.database.pragma('max_page_count = 1000000');
        if (answer && 'thrown' in answer) refusals++;
      }
      opened.store(memory);
      eager.store(memory, false);
      if (random.int(8) === 0) {
        opened.forget();
        kills++;
      }
      if (random.int(12) === 0) opened.run({ kind: 'settleSome' });
      if (random.int(200) === 0) {
        const touch: Command = { kind: 'touch', namespace: SPACE, ids: [`m${number}`], atUs: NOW_US };
        opened.run(touch);
        eager.run(touch);
      }
    }
    expect([kills, refusals].every((count) => count > 10)).toBe(true);
    opened.run({ kind: 'writeUpkeep' });
    expect(rowsOfStore(opened.database.name)).toEqual(rowsOfStore(eager.database.name));
    expect(brokenRules(opened.database.name)).toEqual([]);
    eager.database.close();
  });
});
