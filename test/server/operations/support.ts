import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Call } from '../../../src/memory/call.ts';
import { MnemeError } from '../../../src/memory/errors.ts';
import { SERVER_ITSELF } from '../../../src/memory/principal.ts';
import type { Embedder } from '../../../src/search/embedding/embedder.ts';
import type { MemoryDeps } from '../../../src/server/operations/memories/operation-deps.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { reusedThreads } from '../../support/reused-threads.ts';

export const call: Call = {
  signal: new AbortController().signal,
  deadlineAtMs: Number.POSITIVE_INFINITY,
  callId: 'test',
  principal: SERVER_ITSELF,
  caller: 'test',
};

/** Embeds a text as its length and number of words; fails for texts that are `refused` and while it is `down`. */
export class TestEmbedder implements Embedder {
  readonly kind = 'http';
  readonly dimension = 2;
  readonly laneWeight = 1;
  model = 'test';
  inline = false;
  isDerived = false;
  down = false;
  refused = new Set<string>();
  readonly batches: (readonly string[])[] = [];

  async embed(texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    this.batches.push(texts);
    if (this.down || texts.some((text) => this.refused.has(text))) {
      throw new MnemeError('EMBEDDER_UNAVAILABLE', 'the embedder is down', { metadata: { model: this.model } });
    }
    return texts.map((text) => (/\w/.test(text) ? Float32Array.of(text.length, text.split(' ').length) : undefined));
  }
}

/** Dependencies of operations, on a new store; time stands still until it is moved. */
export async function openDeps() {
  const folder = mkdtempSync(join(tmpdir(), 'mneme-operations-'));
  const clock = { us: 1_700_000_000_000_000, nowUs: () => clock.us };
  const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
  const embedder = new TestEmbedder();
  let ids = 0;
  let pendingCalls = 0;
  const deps: MemoryDeps = {
    store,
    view: store,
    embedder,
    clock,
    newId: () => `id-${++ids}`,
    onEmbeddingPending: () => {
      pendingCalls++;
    },
    autoCreateNamespaces: true,
  };
  return {
    deps,
    store,
    embedder,
    clock,
    pendingCalls: () => pendingCalls,
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Opened = Awaited<ReturnType<typeof openDeps>>;
