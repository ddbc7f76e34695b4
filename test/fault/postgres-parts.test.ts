import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sized } from '../support/all-tests.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openViewedStore, type ViewedStoreOfTest } from '../support/viewed-store.ts';
import { linesOfKilled } from './killed-writer.ts';
import { carryOutPart, PART_NAMES, type PartName, prepareParts, stateOfParts } from './postgres-parts.ts';
import { brokenRules } from './postgres-rules.ts';

/** Between two moments at which the process is killed. */
const STRIDE = sized({ sample: 8, nightly: 1 });
const WRITER = fileURLToPath(new URL('postgres-parts-writer.ts', import.meta.url));

let server: PostgresServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-postgres-parts-'));
  server = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
  rmSync(folder, { recursive: true });
});

async function opened<T>(schema: string, work: (store: ViewedStoreOfTest) => Promise<T>): Promise<T> {
  const store = await openViewedStore({ url: server.url, schema });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

describe('a server that is killed before any statement that changes something, or after any COMMIT', () => {
  it.each(PART_NAMES)(
    'during: %s › wholly or not at all where it is one write; repeated, the result is that of an undisturbed one',
    async (part) => {
      const expected = await opened(`parts_${part}`, async (store) => {
        await prepareParts(store);
        const before = await stateOfParts(store);
        await carryOutPart(store, part);
        return { before, after: await stateOfParts(store) };
      });
      expect(expected.after).not.toBe(expected.before);
      let at = 1 - STRIDE;
      for (let isOver = false; !isOver; ) {
        at += STRIDE;
        const schema = `parts_${part}_${at}`;
        await opened(schema, prepareParts);
        const lines = await writeAndDie(schema, at, part);
        isOver = lines.includes('end');
        expect(await brokenRules(server.url, schema)).toEqual([]);
        await opened(schema, async (store) => {
          const left = await stateOfParts(store);
          if (lines.includes('done')) expect([at, left]).toEqual([at, expected.after]);
          else if (part !== 'subscription' && part !== 'reembedding')
            expect([at, [expected.before, expected.after].includes(left)]).toEqual([at, true]);
          await carryOutPart(store, part);
          expect([at, await stateOfParts(store)]).toEqual([at, expected.after]);
        });
        expect(await brokenRules(server.url, schema)).toEqual([]);
      }
      // Two statements, both moments of COMMIT, and the end.
      expect(at).toBeGreaterThanOrEqual(5);
    },
    600_000,
  );

  function writeAndDie(schema: string, at: number, part: PartName): Promise<string[]> {
    const log = join(folder, `${schema}.log`);
    return linesOfKilled(WRITER, [server.url, schema, join(folder, schema), log, String(at), part], log);
  }
});
