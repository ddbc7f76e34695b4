import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { outcomes } from '../../../src/storage/sqlite/migrations/migrate.ts';
import { because, put } from '../../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../../support/new-memory.ts';
import { olderFolder, STORED_US } from './older-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-outcomes-migration-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a folder whose outcomes are in the order of request ids', () => {
  it('opened › a request is repeated as before, and its outcome is deleted after its retention', async () => {
    const [first, second] = ['b', 'a'].map((name) => `request ${name}`) as [string, string];
    olderFolder(folder, outcomes, [], (insert) => {
      [first, second].forEach((request_id, at) => {
        const outcome = JSON.stringify({ revision: at + 7, memories: [] });
        const expires_at_us = STORED_US + 10 * (at + 1);
        insert('idempotency', { namespace: 'n', request_id, fingerprint: 'f', outcome, expires_at_us });
      });
    });
    const store = await openSqliteStore({ folder });
    try {
      const repeat = (requestId: string, atUs: number, fingerprint = 'f') =>
        put(store, [newMemory({ id: `m${atUs}` })], { namespace: 'n', atUs, idempotency: { requestId, fingerprint } });
      expect(await repeat(first, STORED_US)).toEqual({ revision: 7, memories: [] });
      expect(await repeat(second, STORED_US + 10)).toEqual({ revision: 8, memories: [] });
      await expect(repeat(second, STORED_US + 10, 'other')).rejects.toMatchObject(because('REQUEST_ID_REUSED'));
      const again = await repeat(first, STORED_US + 10);
      expect(again.memories).toHaveLength(1);
      expect(await repeat(first, STORED_US + 11)).toEqual(again);
    } finally {
      await store.close();
    }
  });
});
