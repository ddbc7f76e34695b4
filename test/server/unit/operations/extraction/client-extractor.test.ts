import { expect, it } from '@jest/globals';
import type { ConversationMessage } from '../../../../../src/memory/conversation.ts';
import { type ExtractionBatch, ExtractionReturned } from '../../../../../src/server/extraction/extractor.ts';
import { ClientExtractor } from '../../../../../src/server/operations/extraction/client-extractor.ts';
import { ConversationQueue } from '../../../../../src/server/operations/extraction/conversation-queue.ts';
import type { ExtractionJob } from '../../../../../src/server/operations/extraction/extraction-job.ts';

const scope = { project: '', agentType: '', agent: '', session: '' };
const never = new AbortController().signal;

function message(sequence: number, text: string): ConversationMessage {
  return { role: 'user', name: '', sequence, text, eventAtUs: 0, blocks: [{ kind: 'text', text }] };
}

function batchOf(texts: readonly string[], earlier: readonly string[] = []): ExtractionBatch {
  const messages = texts.map((text, at) => message(earlier.length + at, text));
  return {
    ...{ namespace: 'n', scope, conversation: 'c', messages, settings: new Map() },
    earlier: earlier.map((text, at) => message(at, text)),
  };
}

function extractorOf() {
  let id = 0;
  const newId = () => String(++id);
  return new ClientExtractor({ clock: { nowUs: () => 0 }, newId, timeoutMs: 1000, clientsMax: 8 });
}

function joined(extractor: ClientExtractor, { name = '', jobsMax = 1 } = {}) {
  const jobs: ExtractionJob[] = [];
  const withdrawn: string[] = [];
  const withdraw = (id: string, why: string) => withdrawn.push(`${id}: ${why}`);
  const serving = extractor.join({ namespace: 'n', name, jobsMax, give: (job) => jobs.push(job), withdraw });
  const answer = (notes: string[] = []) => {
    const [job] = serving.jobs.values();
    job?.resolve({
      claims: [],
      notes: notes.map((text) => ({ type: 'fact', text, confidence: 1, tags: [], sources: [0] })),
      origin: serving.origin,
    });
    serving.take(job?.id ?? '');
  };
  return { serving, jobs, withdrawn, answer };
}

const turn = () => new Promise(setImmediate);

it('messages that are too large for one job › are several jobs, one after the other', async () => {
  const extractor = extractorOf();
  const { jobs, answer } = joined(extractor, { name: 'm' });
  const large = 'x'.repeat(1_500_000);
  const extracting = extractor.extract(batchOf([large, large, 'small']), never);
  for (const note of ['one', 'two']) {
    await turn();
    answer([note]);
  }

  expect((await extracting).notes.map(({ text }) => text)).toEqual(['one', 'two']);
  expect(jobs.map(({ batch }) => batch.messages.map(({ sequence }) => sequence))).toEqual([[0], [1, 2]]);
  expect(await extracting).toMatchObject({ origin: 'client.m' });
});

it('a long earlier message › is cut in whole characters', async () => {
  const extractor = extractorOf();
  const { jobs, answer } = joined(extractor);
  const extracting = extractor.extract(batchOf(['a'], [`a${'ä'.repeat(3000)}`, '']), never);
  await turn();
  answer();
  await extracting;
  const [first, second] = jobs[0]?.batch.earlier ?? [];
  expect(first?.text).toBe(`a${'ä'.repeat(2047)}`);
  expect(first?.blocks).toEqual([{ kind: 'text', text: first?.text }]);
  expect(second?.blocks).toEqual([]);
});

it('clients › get jobs in turn; a job of one that leaves is returned, and one that is aborted is withdrawn', async () => {
  const extractor = extractorOf();
  expect(extractor.capacity('n')).toMatchObject({ jobsMax: 0, outage: { reason: 'EXTRACTOR_UNAVAILABLE' } });
  const [one, other] = [joined(extractor, { jobsMax: 2 }), joined(extractor, { jobsMax: 2 })];
  expect(extractor.capacity('n')).toEqual({ jobsMax: 4 });
  const stopping = new AbortController();
  const extracting = [never, stopping.signal, never].map((signal) => extractor.extract(batchOf(['a']), signal));
  const outcomes = Promise.allSettled(extracting);
  await turn();
  expect([one.jobs.length, other.jobs.length]).toEqual([2, 1]);
  stopping.abort(new Error('too late'));
  expect(other.withdrawn).toEqual(['2: too late']);
  extractor.leave(one.serving);
  extractor.leave(one.serving);
  const [first, second, third] = await outcomes;
  expect(first).toMatchObject({ status: 'rejected', reason: expect.any(ExtractionReturned) });
  expect(second).toMatchObject({ status: 'rejected', reason: { message: 'too late' } });
  expect(third).toMatchObject({ status: 'rejected', reason: expect.any(ExtractionReturned) });
  expect(extractor.capacity('n')).toEqual({ jobsMax: 2 });
});

it('a batch that clients return again and again › waits after the third time, and is never given up', () => {
  const queue = new ConversationQueue('c');
  queue.add({ sequence: 0, tokens: 1, arrivedAtUs: 0, revisions: [1], isForced: true });
  for (let count = 0; count < 4; count++) {
    expect([count, queue.attempts, queue.nextAttemptAtUs]).toEqual([count, 0, 0]);
    queue.take(1, 100);
    queue.return('the client left', { nowUs: 0, random: 0 });
  }
  expect([queue.attempts, queue.defects, queue.nextAttemptAtUs]).toEqual([1, 0, 500_000]);
  queue.resume();
  expect(queue.nextAttemptAtUs).toBe(0);
});
