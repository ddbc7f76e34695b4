import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Filter, MemoryField, Operator } from '../../../gen/ts/mneme/v1/filter.ts';
import { ListMemoriesRequest, MemoryServiceService } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest, RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Bench, Group } from '../bench.ts';
import { makeCorpus } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import { sentencesRead } from '../data/texts-read.ts';
import { LoadClient } from '../load/load-client.ts';
import { atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { gets, MEMORIES, measureBeside, recallByText, recallByVector, startMeasured } from './beside-load.ts';
import type { Messages } from './call-messages.ts';

const PART = 'hostile';
const HOSTILE_PARENT = 'namespaces/hostile';
const HOSTILE_MEMORIES = 10_000;
const HOSTILE_CALLERS = 32;
const GRACE_MS = 10_000;
const STOP_MS = 11_000;

/** Calls of one caller while 32 others look for patterns in another namespace, and a stop meanwhile. */
export const hostileGroup: Group = {
  parts: [PART],
  async run(bench) {
    const folder = join(bench.folder, PART);
    mkdirSync(folder);
    const flags = ['--shutdown-grace-ms', String(GRACE_MS)];
    const measured = await startMeasured({ folder: join(folder, 'data'), flags });
    const { server: mneme } = measured;
    const caller = new Caller(mneme.address);
    const corpus = makeCorpus(HOSTILE_MEMORIES, 50);
    bench.say(`storing ${HOSTILE_MEMORIES} memories for patterns, ${MEMORIES} for the other caller`);
    await populate(caller, corpus, HOSTILE_MEMORIES, false, HOSTILE_PARENT);
    await populate(caller, corpus, MEMORIES, true);
    await sentencesRead(caller, corpus.questions[0] ?? '');
    const others = new LoadClient();
    for (const attack of [hostileLists(), hostileRecalls()]) {
      const load = { ...attack.messages, client: 'raw', inFlight: HOSTILE_CALLERS, durationMs: 60_000 } as const;
      const name = `${HOSTILE_CALLERS} callers with ${attack.name}`;
      const run = (until: Promise<void>): Promise<unknown> => others.run(mneme, load, until);
      for (const asked of [recallByText(corpus), recallByVector(corpus), gets()]) {
        await measureBeside(bench, PART, measured, asked, { name, run });
      }
    }
    await measureStop(bench, others, mneme);
    caller.close();
    others.close();
  },
};

async function measureStop(bench: Bench, others: LoadClient, mneme: ServerProcess): Promise<void> {
  const { messages } = hostileLists();
  const load = { ...messages, client: 'raw', inFlight: HOSTILE_CALLERS, durationMs: 60_000 } as const;
  // Its calls fail when the server stops.
  const attacking = others.run(mneme, load).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const startedMs = performance.now();
  await mneme.stop();
  const value = performance.now() - startedMs;
  await attacking;
  const what = `SIGTERM beside ${HOSTILE_CALLERS} callers with lists, grace of ${GRACE_MS} ms`;
  bench.add({ part: PART, what, value, unit: 'ms', wanted: atMost(value, STOP_MS, 'ms') });
}

/** Twenty patterns that match no text and are slow to refuse one. */
function patterns(): Filter {
  const filters = Array.from({ length: 20 }, (_, number) => {
    const value = { kind: { $case: 'stringValue' as const, value: `(x+x+)+y${number}` } };
    const target = { $case: 'field' as const, value: MemoryField.MEMORY_FIELD_TEXT };
    return {
      node: { $case: 'comparison' as const, value: { target, op: Operator.OPERATOR_MATCHES, values: [value] } },
    };
  });
  return Filter.fromPartial({ node: { $case: 'any', value: { filters } } });
}

function hostileLists(): { readonly name: string; readonly messages: Messages } {
  const request = ListMemoriesRequest.fromPartial({ parent: HOSTILE_PARENT, pageSize: 100, filter: patterns() });
  const messages = [ListMemoriesRequest.encode(request).finish()];
  return { name: 'lists', messages: { path: MemoryServiceService.listMemories.path, messages } };
}

function hostileRecalls(): { readonly name: string; readonly messages: Messages } {
  const request = RecallRequest.fromPartial({ parent: HOSTILE_PARENT, limit: 10, filter: patterns() });
  const messages = [RecallRequest.encode(request).finish()];
  return { name: 'recalls', messages: { path: RecallServiceService.recall.path, messages } };
}
