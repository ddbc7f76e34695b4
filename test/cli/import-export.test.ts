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
  it('what is exported › is imported bit for bit', async () => {
    const binary = { mediaType: 'image/png', data: Buffer.from([0xff, 0xfe, 0x00]) };
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
              degraded: [],
            });
          });
          call.on('end', () => call.end());
        },
      },
    });

    const exported = await run(['export']);
    const { code, stdout } = await run(['import', '--json'], exported.stdout);

    expect([code, JSON.parse(stdout)]).toEqual([0, { storedCount: 2, skippedCount: 0, revision: 2 }]);
    const decided = { tier: 0, checksum: '', etag: '', revision: 0n };
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

  it.each([
    ['stdin:2: not JSON', '{"id":'],
    ['stdin:2: txt is not a key of a memory; did you mean text?', '{"txt":"x"}'],
    ['event_time is not a key of a memory; did you mean eventTime?', '{"text":"x","event_time":"2026-11-01"}'],
    ['speaker is not a key of a memory; did you mean source.speaker?', '{"text":"x","speaker":"Ada"}'],
    ['place.rom is not a key of a memory; did you mean place.room?', '{"text":"x","place":{"rom":"hall"}}'],
    ['zzzzzz is not a key of a memory; docs/cli.md lists the keys', '{"zzzzzz":1}'],
    ["stdin:2: expected one JSON object a line, got an array: jq -c '.[]' makes lines of it", '[{"text":"x"}]'],
    ['stdin:2: expected one JSON object a line, got one over several lines', '{'],
    ['stdin:2: content: expected {"json": value}', '{"content":"x"}'],
    ['stdin:2: eventTime: expected an ISO 8601 time', '{"eventTime":"01/02/2026"}'],
    ['stdin:2: eventTime: expected an ISO 8601 time', '{"eventTime":"soon"}'],
    ['stdin:2: not UTF-8', Buffer.from('{"text":"Zoë"}', 'latin1')],
  ])('a wrong line › is named (%s) and ends the import', async (message, line) => {
    const run = await against({
      memory: {
        importMemories: (call: ServerDuplexStream<ImportMemoriesRequest, ImportMemoriesResponse>) => {
          call.on('data', () => {});
          call.on('error', () => {});
        },
      },
    });

    const { code, stdout, stderr } = await run(
      ['import'],
      Buffer.concat([Buffer.from('{"text":"fine"}\n'), Buffer.from(line), Buffer.from('\n')]),
    );

    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd()).not.toContain('\n');
  });
});
