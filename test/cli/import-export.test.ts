import type { ServerDuplexStream, ServerWritableStream } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Memory } from '../../gen/ts/mneme/v1/memory.ts';
import type {
  ExportMemoriesRequest,
  ExportMemoriesResponse,
  ImportMemoriesRequest,
  ImportMemoriesResponse,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { cleanUp } from '../client/support/clean-up.ts';
import { bareMemoryMessage, fullMemoryMessage } from '../client/support/proto-memory.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

describe('mneme export and import', () => {
  it('exported memories › are imported bit for bit', async () => {
    const binary = { mediaType: 'image/png', body: { $case: 'data' as const, value: Buffer.from([0xff, 0xfe, 0x00]) } };
    const original = [fullMemoryMessage('m1'), { ...bareMemoryMessage('m2'), content: binary }];
    const imported: Memory[] = [];
    const run = await against({
      memory: {
        exportMemories: (call: ServerWritableStream<ExportMemoriesRequest, ExportMemoriesResponse>) => {
          call.write({ memories: original, sentCount: 2, totalCount: 2, damaged: [] });
          call.end();
        },
        importMemories: (call: ServerDuplexStream<ImportMemoriesRequest, ImportMemoriesResponse>) => {
          call.on('data', ({ memories }: ImportMemoriesRequest) => {
            imported.push(...memories);
            call.write({
              acknowledgedCount: 1,
              storedCount: memories.length,
              skippedCount: 0,
              revision: 2n,
            });
          });
          call.on('end', () => call.end());
        },
      },
    });

    const exported = await run(['export']);
    const { code, stdout } = await run(['import', '--json'], exported.stdout);

    const counts = {
      createdCount: 2,
      unchangedCount: 0,
      duplicateCount: 0,
      skippedCount: 0,
      revision: 2,
    };
    expect([code, JSON.parse(stdout)]).toEqual([0, counts]);
    const decided = { tier: 0, checksum: '', version: 0n };
    const scope = (memory: Memory) => memory.scope && { ...memory.scope, namespace: '' };
    expect(imported).toEqual(
      original.map((memory) => ({
        ...memory,
        ...decided,
        scope: scope(memory),
        source: memory.source ?? { speaker: '', uri: '', origin: '' },
      })),
    );
  });
});
