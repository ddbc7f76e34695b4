import type { ServerDuplexStream, ServerWritableStream } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AlreadyExistsError, CancelledError, type ImportedMemory } from '../../clients/typescript/src/index.ts';
import type {
  ExportMemoriesRequest,
  ExportMemoriesResponse,
  ImportMemoriesRequest,
  ImportMemoriesResponse,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { cleanUp, serve } from './support/clean-up.ts';
import { collect } from './support/collect.ts';
import { bareMemoryMessage, fullMemoryMessage } from './support/proto-memory.ts';
import { statusError } from './support/start-service.ts';

afterEach(cleanUp);

type ImportCall = ServerDuplexStream<ImportMemoriesRequest, ImportMemoriesResponse>;

/**
 * Stores memories by name as Import does. The first stream reads one message more than it answers, of which there are
 * `answersMax`, and fails once `heard` reports the arrival of the answers.
 */
function importingServer({ answersMax = Number.POSITIVE_INFINITY, heard = Promise.resolve() } = {}) {
  const kept = new Map<string, ImportMemoriesRequest>();
  const streams: ImportMemoriesRequest[][] = [];
  const handler = (call: ImportCall) => {
    const received: ImportMemoriesRequest[] = [];
    const answers = streams.push(received) === 1 ? answersMax : Number.POSITIVE_INFINITY;
    let storedCount = 0;
    let skippedCount = 0;
    call.on('data', (request: ImportMemoriesRequest) => {
      if (received.length > answers) return;
      received.push(request);
      for (const { name } of request.memories) {
        if (kept.has(name)) skippedCount += 1;
        else storedCount += 1;
        kept.set(name, request);
      }
      if (received.length > answers) {
        // Messages in transit when a stream fails may be lost.
        void heard.then(() => call.emit('error', statusError(status.UNAVAILABLE, 'gone')));
        return;
      }
      const counts = { acknowledgedCount: received.length, storedCount, skippedCount };
      call.write({ ...counts, revision: BigInt(kept.size) });
    });
    call.on('end', () => call.end());
    call.on('error', () => {});
  };
  return { handler, kept, streams };
}

function* memories(count: number): Generator<ImportedMemory> {
  for (let n = 0; n < count; n++) yield { id: `m${n}`, text: `memory ${n}` };
}

describe('client › import', () => {
  it('many memories › are sent in messages of at most 256, and progress counts stored ones', async () => {
    const { handler, kept, streams } = importingServer();
    const { mneme } = await serve({ memory: { importMemories: handler } });
    const progress: number[] = [];

    const imported = await mneme.importMemories(memories(600), {
      conflictPolicy: 'replace',
      onProgress: ({ storedCount }) => progress.push(storedCount),
    });

    expect(imported).toEqual({ storedCount: 600, skippedCount: 0, revision: 600 });
    expect(progress).toEqual([256, 512, 600]);
    expect(kept.size).toBe(600);
    expect(streams[0]?.map((request) => request.memories.length)).toEqual([256, 256, 88]);
    expect(streams[0]?.[0]).toMatchObject({ parent: 'namespaces/default', conflictPolicy: 2 });
  });

  it('large memories › go in messages of about a mebibyte', async () => {
    const { handler, streams } = importingServer();
    const { mneme } = await serve({ memory: { importMemories: handler } });
    const large = Array.from({ length: 8 }, (_, n) => ({ id: `m${n}`, content: 'x'.repeat(150_000) }));

    await mneme.importMemories(large);

    expect(streams[0]?.length).toBeGreaterThan(2);
  });

  it('no memories › send nothing to the server', async () => {
    const { handler, streams } = importingServer();
    const { mneme } = await serve({ memory: { importMemories: handler } });

    expect(await mneme.importMemories([])).toEqual({ storedCount: 0, skippedCount: 0, revision: 0 });
    expect(streams).toHaveLength(0);
  });

  it('when the connection breaks › continues after the last acknowledged message, with the same ids', async () => {
    const heard = Promise.withResolvers<void>();
    const { handler, kept, streams } = importingServer({ answersMax: 2, heard: heard.promise });
    const { mneme } = await serve({ memory: { importMemories: handler } });
    const anonymous = Array.from({ length: 1500 }, (_, n) => ({ text: `memory ${n}` }));

    const imported = await mneme.importMemories(anonymous, {
      onProgress: ({ storedCount }) => {
        if (storedCount === 512) heard.resolve();
      },
    });

    expect(streams).toHaveLength(2);
    expect(kept.size).toBe(1500);
    expect(imported.storedCount + imported.skippedCount).toBe(1500);
    expect(imported.skippedCount).toBe(256);
    expect(streams[1]?.[0]?.memories[0]?.text).toBe('memory 512');
  });

  it('when the server refuses › fails with its error', async () => {
    const handler = (call: ImportCall) => {
      call.once('data', () =>
        call.emit('error', statusError(status.ALREADY_EXISTS, 'm0 is there', { reason: 'MEMORY_EXISTS' })),
      );
    };
    const { mneme } = await serve({ memory: { importMemories: handler } });

    await expect(mneme.importMemories(memories(1000), { conflictPolicy: 'fail' })).rejects.toBeInstanceOf(
      AlreadyExistsError,
    );
  });

  it('when the server refuses while the source is silent › does not wait for the source', async () => {
    const handler = (call: ImportCall) => {
      call.once('data', () => call.emit('error', statusError(status.INVALID_ARGUMENT, 'bad')));
    };
    const { mneme } = await serve({ memory: { importMemories: handler } });
    async function* silentAfter(count: number) {
      yield* memories(count);
      await new Promise(() => {});
    }

    await expect(mneme.importMemories(silentAfter(257))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('when the source fails › fails with its error and ends the stream', async () => {
    const ended = Promise.withResolvers<void>();
    const { handler } = importingServer();
    const watched = (call: ImportCall) => {
      call.on('cancelled', () => ended.resolve());
      handler(call);
    };
    const { mneme } = await serve({ memory: { importMemories: watched } });
    function* broken() {
      yield* memories(300);
      throw new RangeError('line 301 is not JSON');
    }

    await expect(mneme.importMemories(broken())).rejects.toThrow('line 301 is not JSON');
    await ended.promise;
  });
});

describe('client › export', () => {
  const exporting =
    (messages: number) => (call: ServerWritableStream<ExportMemoriesRequest, ExportMemoriesResponse>) => {
      for (let n = 1; n <= messages; n++) {
        const memories = [fullMemoryMessage(`m${n}a`), bareMemoryMessage(`m${n}b`)];
        call.write({ memories, sentCount: n * 2, totalCount: 10, damaged: [] });
      }
      call.end();
    };

  it('all memories › come in order, with vectors and progress', async () => {
    const { mneme } = await serve({ memory: { exportMemories: exporting(2) } });
    const progress: unknown[] = [];

    const exported = await collect(mneme.exportMemories({ onProgress: (at) => progress.push(at) }));

    expect(exported.map(({ id }) => id)).toEqual(['m1a', 'm1b', 'm2a', 'm2b']);
    expect(exported[0]?.embedding?.values).toEqual(new Float32Array([0.1, -2, 3e-38]));
    expect(progress).toEqual([
      { sentCount: 2, totalCount: 10 },
      { sentCount: 4, totalCount: 10 },
    ]);
  });

  it('when the reader stops early › the server is notified', async () => {
    const cancelled = Promise.withResolvers<void>();
    const handler = (call: ServerWritableStream<ExportMemoriesRequest, ExportMemoriesResponse>) => {
      call.on('cancelled', () => cancelled.resolve());
      call.write({ memories: [bareMemoryMessage('m1')], sentCount: 1, totalCount: 2, damaged: [] });
    };
    const { mneme } = await serve({ memory: { exportMemories: handler } });

    for await (const _ of mneme.exportMemories()) break;

    await cancelled.promise;
  });

  it('when the signal aborts › fails with CancelledError', async () => {
    const abort = new AbortController();
    const handler = (call: ServerWritableStream<ExportMemoriesRequest, ExportMemoriesResponse>) => {
      call.write({ memories: [bareMemoryMessage('m1')], sentCount: 1, totalCount: 2, damaged: [] });
    };
    const { mneme } = await serve({ memory: { exportMemories: handler } });

    const reading = collect(mneme.exportMemories({ onProgress: () => abort.abort() }, { signal: abort.signal }));

    await expect(reading).rejects.toBeInstanceOf(CancelledError);
  });
});
