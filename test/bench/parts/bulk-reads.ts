import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ExportMemoriesRequest, MemoryServiceService } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { ListKeysRequest, WorkingMemoryServiceService } from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Group } from '../bench.ts';
import { makeCorpus } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import { sentencesRead } from '../data/texts-read.ts';
import { LoadClient } from '../load/load-client.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { gets, MEMORIES, measureBeside, type OtherLoad, recallByText, startMeasured } from './beside-load.ts';
import { watchAgain, watchUnread } from './bulk-watches.ts';
import { longTexts, type Messages } from './call-messages.ts';
import { KEYS, setKeys } from './working-messages.ts';

const PART = 'bulk-reads';
const BULK_PARENT = 'namespaces/bulk';
const BULK_SESSION = `${BULK_PARENT}/sessions/keys`;
const BULK_MEMORIES = 20_000;
const BULK_KEYS = 10_000;
const UNREAD_WATCHES = 50;
const CALLERS = 4;
/** Longer than any part of the measurement: loads end when it does. */
const LOAD_MS = 60_000;

/** Calls of one caller while others read everything of another namespace. */
export const bulkReadGroup: Group = {
  parts: [PART],
  async run(bench) {
    const folder = join(bench.folder, PART);
    mkdirSync(folder);
    const measured = await startMeasured({ folder: join(folder, 'data') });
    const { server } = measured;
    const caller = new Caller(server.address);
    const corpus = makeCorpus(BULK_MEMORIES, 50);
    bench.say(`storing ${BULK_MEMORIES} memories and ${BULK_KEYS} keys, ${MEMORIES} for the other caller`);
    await populate(caller, corpus, BULK_MEMORIES, false, BULK_PARENT);
    const texts = longTexts(KEYS);
    for (let first = 0; first < BULK_KEYS; first += KEYS) await setKeys(caller, BULK_SESSION, texts, first);
    await populate(caller, corpus, MEMORIES, true);
    await sentencesRead(caller, corpus.questions[0] ?? '');
    caller.close();
    const client = new LoadClient();
    for (const load of bulkLoads(client, server)) {
      for (const asked of [recallByText(corpus), gets()]) await measureBeside(bench, PART, measured, asked, load);
    }
    client.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  },
};

function bulkLoads(client: LoadClient, server: ServerProcess): OtherLoad[] {
  const { address } = server;
  const called = ({ path, messages }: Messages) => {
    const load = { path, messages, client: 'raw', inFlight: CALLERS, durationMs: LOAD_MS } as const;
    return (until: Promise<void>): Promise<unknown> => client.run(server, load, until);
  };
  return [
    {
      name: `one watch from revision 1 over ${BULK_MEMORIES} memories, again and again`,
      run: (until) => watchAgain(address, BULK_PARENT, until),
    },
    { name: `${CALLERS} exports of ${BULK_MEMORIES} memories`, run: called(exports()) },
    {
      name: `${UNREAD_WATCHES} unread watches of ${BULK_MEMORIES} memories, then disconnected`,
      run: (until) => watchUnread(address, BULK_PARENT, UNREAD_WATCHES, until),
    },
    { name: `${CALLERS} callers of ListKeys without a match over ${BULK_KEYS} keys of 1 KB`, run: called(keyLists()) },
  ];
}

function exports(): Messages {
  const request = ExportMemoriesRequest.fromPartial({ parent: BULK_PARENT });
  return { path: MemoryServiceService.exportMemories.path, messages: [ExportMemoriesRequest.encode(request).finish()] };
}

function keyLists(): Messages {
  const request = ListKeysRequest.fromPartial({ session: BULK_SESSION, pattern: '*-of-nothing', pageSize: 1000 });
  return { path: WorkingMemoryServiceService.listKeys.path, messages: [ListKeysRequest.encode(request).finish()] };
}
