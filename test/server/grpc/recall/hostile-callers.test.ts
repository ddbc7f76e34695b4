import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Filter, MemoryField, Operator } from '../../../../gen/ts/mneme/v1/filter.ts';
import {
  BatchStoreMemoriesRequest,
  CountMemoriesRequest,
  ListMemoriesRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask } from '../support/ask.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const TEXT = 'x'.repeat(200);
const MEMORIES = 1500;
const CALLERS = 20;
const PATTERNS = 20;

let mneme: TestServer;
let parent: string;
let quiet: string;
beforeEach(async () => {
  mneme = await startTestServer();
  parent = freshNamespace();
  quiet = freshNamespace();
  const batch = (at: number) =>
    BatchStoreMemoriesRequest.fromPartial({
      parent,
      requests: Array.from({ length: 100 }, (_, i) => ({ memory: { text: `${TEXT} ${at + i}` } })),
    });
  for (let at = 0; at < MEMORIES; at += 100) {
    await ask(mneme.memories, mneme.memories.batchStoreMemories, batch(at));
  }
  await store(mneme, quiet, { text: 'the cello needs new strings' });
}, 60_000);
afterEach(() => mneme.stop());

/** A filter that matches nothing and takes long to refuse a text. */
function slowFilter(): Filter {
  const filters = Array.from({ length: PATTERNS }, (_, number) => ({
    node: {
      $case: 'comparison' as const,
      value: {
        target: { $case: 'field' as const, value: MemoryField.MEMORY_FIELD_TEXT },
        op: Operator.OPERATOR_MATCHES,
        values: [{ kind: { $case: 'stringValue' as const, value: `(x+x+)+y${number}` } }],
      },
    },
  }));
  return Filter.fromPartial({ node: { $case: 'any', value: { filters } } });
}

const attacks = {
  lists: () => {
    const request = ListMemoriesRequest.fromPartial({ parent, filter: slowFilter(), pageSize: 10 });
    return ask(mneme.memories, mneme.memories.listMemories, request);
  },
  counts: () => {
    const request = CountMemoriesRequest.fromPartial({ parent, filter: slowFilter() });
    return ask(mneme.memories, mneme.memories.countMemories, request);
  },
  recalls: () => {
    const request = RecallRequest.fromPartial({ parent, filter: slowFilter(), limit: 10 });
    return ask(mneme.recalls, mneme.recalls.recall, request);
  },
};

it.each(Object.keys(attacks) as (keyof typeof attacks)[])(
  '%s with slow patterns in one namespace › a Recall in another comes before most of them',
  async (name) => {
    const ended: string[] = [];
    const end = (call: string) => () => void ended.push(call);
    const others = Array.from({ length: CALLERS }, () => attacks[name]().then(end('attack')));
    await nextTurn();
    const recall = RecallRequest.fromPartial({ parent: quiet, text: 'cello', limit: 1 });
    const answered = ask(mneme.recalls, mneme.recalls.recall, recall).then(end('recall'));
    await Promise.all([...others, answered]);
    expect(ended).toHaveLength(CALLERS + 1);
    expect(ended.indexOf('recall')).toBeLessThan(CALLERS / 2);
  },
  120_000,
);
