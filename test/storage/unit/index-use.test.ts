import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { Filter, MemoryField } from '../../../src/memory/filter.ts';
import type { ListOrder } from '../../../src/storage/records.ts';
import { databaseFileIn, type SqliteDatabase } from '../../../src/storage/sqlite/database.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { narrowKeys } from '../../../src/storage/sqlite/narrow-filter.ts';
import { nearestMoments } from '../../../src/storage/sqlite/nearest-moments.ts';
import { listMemories } from '../../../src/storage/sqlite/queries/list.ts';
import { hadNamespace } from '../../../src/storage/sqlite/queries/log.ts';
import { tierMembers } from '../../../src/storage/sqlite/queries/tiers.ts';
import { prepareView } from '../../../src/storage/sqlite/view-folder.ts';
import { newMemory } from '../../support/new-memory.ts';
import { listRead, put, SPACE } from '../conformance/memory-store/store-of-test.ts';

/** Most indexes have settled memories alone: a query without that condition reads all memories, and no result shows it. */
describe('queries of memories use the indexes', () => {
  let folder: string;
  let database: SqliteDatabase;
  const prepared: string[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-index-use-'));
    await prepareView(folder, 'records');
    const store = await openSqliteStore({ folder });
    await put(store, [newMemory({ id: 'a' })]);
    await store.close();
    database = new Database(databaseFileIn(folder));
    const prepare = database.prepare.bind(database);
    database.prepare = (sql: string) => {
      prepared.push(sql);
      return prepare(sql);
    };
  });
  afterAll(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  /** The steps of the plans of all statements that are prepared by a read. */
  function stepsOf(read: () => unknown): string[] {
    prepared.length = 0;
    read();
    return [...prepared].flatMap((sql) => {
      const parameters = Array.from({ length: sql.split('?').length - 1 }, () => 1);
      const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
      return plan.all(...parameters).map(({ detail }) => detail);
    });
  }

  it.each<[ListOrder, string]>([
    ['create_time_desc', 'memory_created'],
    ['create_time_asc', 'memory_created'],
    ['event_time_desc', 'memory_event'],
    ['event_time_asc', 'memory_event'],
    ['importance_desc', 'memory_importance'],
    ['step_asc', 'memory_step'],
  ])('list by %s › %s, nothing is sorted', (order, index) => {
    const steps = stepsOf(() => listMemories(database, listRead({ order })));
    expect(steps).toContainEqual(expect.stringContaining(`SEARCH memory USING INDEX ${index} `));
    const [first = ''] = steps.filter((step) => step.startsWith('USE TEMP B-TREE'));
    // Memories without a step come last, by their row keys.
    expect(order === 'step_asc' ? '' : first).toBe('');
  });

  it.each<[MemoryField, string | number, string]>([
    ['type', 'fact', 'memory_type'],
    ['agent', 'ada', 'memory_agent'],
    ['session', 's', 'memory_session'],
    ['step', 5, 'memory_step'],
  ])('filter by %s › by index', (field, value, index) => {
    const target = { kind: 'field' as const, field };
    const filter: Filter = { kind: 'comparison', target, operator: 'equals', values: [value], ignoreCase: false };
    expect(stepsOf(() => narrowKeys(database, 1, filter, 10))).toContainEqual(expect.stringContaining(index));
  });

  it('whether the log of a view has the deletion of a namespace › by index', () => {
    const steps = stepsOf(() => hadNamespace(database, 'gone'));
    expect(steps).toEqual([expect.stringContaining('INDEX change_log_deletion (id=?)')]);
  });

  it('members of a tier, of one agent and of one type › by index', () => {
    for (const [narrower, index] of [
      [{}, 'memory_tier'],
      [{ agent: 'ada' }, 'memory_agent'],
      [{ type: 'fact' }, 'memory_type'],
    ] as const) {
      const read = { namespace: SPACE, tier: 'short_term' as const, limit: 10, ...narrower };
      expect(stepsOf(() => tierMembers(database, read))).toContainEqual(expect.stringContaining(index));
    }
  });

  it('nearest in time and in steps › by index', () => {
    const steps = stepsOf(() => {
      nearestMoments(database, 1, { kind: 'time', atUs: 5, scaleUs: 1 }, 10);
      nearestMoments(database, 1, { kind: 'step', step: 5, scale: 1 }, 10);
    });
    expect(steps.filter((step) => step.includes('memory_event'))).toHaveLength(2);
    expect(steps.filter((step) => step.includes('memory_step'))).toHaveLength(2);
  });
});
