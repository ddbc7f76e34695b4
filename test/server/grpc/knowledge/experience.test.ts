import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  FindProceduresRequest,
  RecordEpisodeRequest,
  RecordOutcomeRequest,
  RecordProcedureRequest,
  TaskOutcome,
} from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { GetMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import type { TestServer } from '../support/test-server.ts';

type Partially<T> = T extends { fromPartial(object: infer P): unknown } ? P : never;
const { TASK_OUTCOME_FAILURE: FAILURE, TASK_OUTCOME_PARTIAL: PARTIAL, TASK_OUTCOME_SUCCESS: SUCCESS } = TaskOutcome;

describe.each(MEMORY_BACKENDS)('episodes and procedures (%s)', (backend) => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
  });
  afterAll(() => mneme?.stop());

  function fresh() {
    const parent = freshNamespace();
    const { knowledge, memories } = mneme;
    return {
      episode: (fields: Partially<typeof RecordEpisodeRequest>) =>
        ask(knowledge, knowledge.recordEpisode, RecordEpisodeRequest.fromPartial({ parent, ...fields })),
      record: (procedure: Partially<typeof RecordProcedureRequest>['procedure'], requestId = '') =>
        ask(knowledge, knowledge.recordProcedure, RecordProcedureRequest.fromPartial({ parent, procedure, requestId })),
      outcome: (name: string, outcome: TaskOutcome, note = '', requestId = '') =>
        ask(knowledge, knowledge.recordOutcome, RecordOutcomeRequest.fromPartial({ name, outcome, note, requestId })),
      find: (situation: string, limit = 0) =>
        ask(knowledge, knowledge.findProcedures, FindProceduresRequest.fromPartial({ parent, situation, limit })),
      get: (name: string) => ask(memories, memories.getMemory, GetMemoryRequest.fromPartial({ name })),
    };
  }

  it('an episode › a memory whose importance comes from outcome, lessons and duration', async () => {
    const { episode, get } = fresh();
    const { name, importance } = await episode({
      ...{ task: 'move the archive', outcome: FAILURE, lessons: ['check the disk first'], actions: ['copied half'] },
      duration: { seconds: 1800n, nanos: 0 },
    });
    expect(importance).toBeCloseTo(0.8);
    const { memory } = await get(name);
    expect(memory).toMatchObject({ type: 'episode', importance, tags: ['failure'] });
    expect(memory?.text).toBe('Failed: move the archive\nLesson: check the disk first\nAction: copied half');
  });

  it('an episode that is recorded again with its request id › one memory', async () => {
    const { episode } = fresh();
    const fields = { task: 'move the archive', outcome: SUCCESS, requestId: 'e1' };
    expect((await episode(fields)).name).toBe((await episode(fields)).name);
  });

  it('a procedure of the same title › merged: steps that lack are put where they belong', async () => {
    const { record } = fresh();
    const first = await record({
      title: 'Restart the indexer',
      steps: ['stop the queue', 'restart', 'start the queue'],
    });
    expect(first).toMatchObject({ created: true, procedure: { successRate: 0.5 } });
    const second = await record({
      ...{ title: ' restart the INDEXER. ', situation: 'the index is stale' },
      steps: ['Stop the queue.', 'wait a minute', 'restart', 'check the log'],
    });
    expect(second).toMatchObject({
      created: false,
      procedure: {
        name: first.procedure?.name,
        situation: 'the index is stale',
        steps: ['stop the queue', 'wait a minute', 'restart', 'start the queue', 'check the log'],
      },
    });
  });

  it('a procedure that is recorded again with its request id › the first answer', async () => {
    const { record } = fresh();
    const first = await record({ title: 'x1', steps: ['do it'] }, 'p1');
    expect(await record({ title: 'x1', steps: ['do it'] }, 'p1')).toEqual(first);
    expect((await record({ title: 'x1', steps: ['do it', 'check it'] }, 'p2')).created).toBe(false);
    expect((await record({ title: 'x1', steps: ['do it', 'check it'] }, 'p2')).created).toBe(false);
  });

  it('outcomes › counted once for each request id; of two procedures for a situation the one that succeeds comes first', async () => {
    const { record, outcome, find } = fresh();
    const situation = 'the search index of the shop is stale';
    const { procedure: one } = await record({ title: 'rebuild the index', situation, steps: ['rebuild'] });
    const { procedure: other } = await record({ title: 'restart the index', situation, steps: ['restart'] });
    await record({ title: 'water the plants', situation: 'the soil is dry', steps: ['water'] });
    for (const requestId of ['a', 'a', 'b']) await outcome(one?.name ?? '', FAILURE, 'too slow', requestId);
    await outcome(other?.name ?? '', PARTIAL);
    const { procedure } = await outcome(other?.name ?? '', SUCCESS);
    expect(procedure).toMatchObject({ successCount: 1, partialCount: 1, failureCount: 0, successRate: 0.625 });
    const { procedures } = await find(situation, 2);
    expect(procedures.map((found) => found.procedure?.title)).toEqual(['restart the index', 'rebuild the index']);
    expect(procedures[1]?.procedure).toMatchObject({
      failureCount: 2,
      notes: ['too slow', 'too slow'],
      successRate: 0.25,
    });
  });

  it('many outcomes at once › all are counted', async () => {
    const { record, outcome } = fresh();
    const { procedure } = await record({ title: 'x1', steps: ['do it'] });
    await Promise.all(Array.from({ length: 8 }, () => outcome(procedure?.name ?? '', SUCCESS)));
    expect((await outcome(procedure?.name ?? '', SUCCESS)).procedure?.successCount).toBe(9);
  });

  it('bad input › each field is named', async () => {
    const { episode, record, outcome, find } = fresh();
    expect((await refusal(episode({ task: ' ', lessons: [''] }))).fields).toEqual(['task', 'outcome', 'lessons[0]']);
    expect((await refusal(record({ title: '…' }))).fields).toEqual(['procedure.title', 'procedure.steps']);
    expect((await refusal(record(undefined))).fields).toContain('procedure');
    expect((await refusal(outcome('namespaces/x', SUCCESS))).fields).toEqual(['name']);
    expect((await refusal(find('', 51))).fields).toEqual(['situation', 'limit']);
    const { name } = await episode({ task: 'move', outcome: SUCCESS });
    expect(await refusal(outcome(name, SUCCESS))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
  });
});
