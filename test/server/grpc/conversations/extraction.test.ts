import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BuildContextRequest } from '../../../../gen/ts/mneme/v1/context_service.ts';
import {
  ExtractionState,
  MessageRole,
  RetryExtractionRequest,
  WatchExtractionRequest,
  type WatchExtractionResponse,
} from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import { UpdateNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { ListSubscriptionsRequest } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { LineExtractor } from '../../../support/line-extractor.ts';
import { ask, refusal } from '../support/ask.ts';
import { extractionStatus, flush, said, talk, textsOf } from '../support/conversations.ts';
import { freshNamespace } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import type { TestServer } from '../support/test-server.ts';

describe.each(MEMORY_BACKENDS)('extraction (%s)', (backend) => {
  let mneme: TestServer;
  let extractor: LineExtractor;
  const extractors = {
    rules: {
      name: 'rules',
      capacity: () => 'server' as const,
      extract: (batch: Parameters<LineExtractor['extract']>[0]) => extractor.extract(batch),
    },
  };
  beforeAll(async () => {
    mneme = await startSessionServer(backend, { extractor: 'rules', extractionAttempts: '2' }, { extractors });
  });
  afterAll(() => mneme?.stop());
  beforeEach(() => {
    extractor = new LineExtractor();
  });

  const fresh = () => {
    const parent = freshNamespace();
    return { parent, ...talk(mneme, parent) };
  };
  const set = (name: string, settings: Record<string, string>) =>
    ask(
      mneme.namespaces,
      mneme.namespaces.updateNamespace,
      UpdateNamespaceRequest.fromPartial({ namespace: { name, settings }, updateMask: ['settings'] }),
    );

  it('flush › extracts every message accepted before, in order', async () => {
    const { parent, say } = fresh();
    await say('ada likes tea', 'hello', 'bob likes wine');

    expect(await flush(mneme, parent)).toMatchObject({ complete: true, conversations: [], pendingCount: 0 });
    expect(await textsOf(mneme, parent)).toEqual(['ada likes tea', 'bob likes wine']);
    expect(extractor.seen()).toEqual([0, 1, 2]);
    await say('eve likes milk');
    await flush(mneme, parent);
    expect(extractor.batches.at(-1)?.earlier.map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
    expect(await extractionStatus(mneme, parent, 'c')).toMatchObject({
      extractor: 'rules',
      pendingCount: 0,
      conversations: [{ state: ExtractionState.EXTRACTION_STATE_IDLE, lastExtractedSequence: 3n }],
    });
  });

  it('four messages › wait; the fifth is the trigger', async () => {
    const { parent, say } = fresh();
    await say('1', '2', '3', '4');
    expect(await extractionStatus(mneme, parent)).toMatchObject({
      pendingCount: 4,
      conversations: [{ state: ExtractionState.EXTRACTION_STATE_PENDING, pendingCount: 4 }],
    });
    expect(extractor.batches).toEqual([]);
    await say('a b c');
    await seen(() => extractor.seen().length === 5);
    await flush(mneme, parent);
    expect(await textsOf(mneme, parent)).toEqual(['a b c']);
  });

  it('the end of an invocation › is a trigger', async () => {
    const { parent, append } = fresh();
    await append({ messages: [said('a b c')], endOfInvocation: true });

    await seen(() => extractor.seen().length === 1);
    await flush(mneme, parent);
    expect(await textsOf(mneme, parent)).toEqual(['a b c']);
  });

  it('settings of a namespace › decide about triggers and extractor', async () => {
    const { parent, say } = fresh();
    await say('a b c');
    await flush(mneme, parent);
    await set(parent, { 'extraction.turns': '2', 'extraction.tool_blocks': 'include' });
    await say('d e f', 'g h i');
    await seen(() => extractor.seen().length === 3);
    await set(parent, { 'extraction.extractor': 'verbatim' });
    await say('j k l');
    await flush(mneme, parent);

    expect(await textsOf(mneme, parent)).toEqual(['a b c', 'd e f', 'g h i']);
    expect((await refusal(set(parent, { 'extraction.turns': 'five' }))).fields).toEqual([
      'namespace.settings[extraction.turns]',
    ]);
  });

  it('a context that comes back with a message › is not extracted again', async () => {
    const { parent, say } = fresh();
    await say('ada likes tea');
    await flush(mneme, parent);
    const request = BuildContextRequest.fromPartial({
      parent,
      messages: [{ role: 'user', text: 'bob likes wine' }],
      query: 'What does ada like?',
      fold: true,
    });
    const { messages, text } = await ask(mneme.contexts, mneme.contexts.buildContext, request);
    expect(text).toContain('ada likes tea');
    await say(messages[0]?.text ?? '', text);
    await flush(mneme, parent);

    expect(extractor.batches.at(-1)?.messages.map((message) => message.text)).toEqual(['bob likes wine']);
    expect(await textsOf(mneme, parent)).toEqual(['ada likes tea', 'bob likes wine']);
  });

  it('tool blocks › are omitted, and messages with nothing else are skipped', async () => {
    const { parent, append } = fresh();
    const toolCall = { id: 't', name: 'weather', argumentsJson: '{}' };
    const call = { block: { $case: 'toolCall' as const, value: toolCall } };
    const { blocks } = said('a b c');
    const role = MessageRole.MESSAGE_ROLE_ASSISTANT;
    await append({
      messages: [
        { role, blocks: [call] },
        { role, blocks: [...blocks, call] },
      ],
    });
    await flush(mneme, parent);

    expect(extractor.batches.map(({ messages }) => messages.map((one) => one.blocks))).toEqual([
      [[{ kind: 'text', text: 'a b c' }]],
    ]);
  });

  it('a message popped before › is not extracted; a replaced one is extracted in its new form', async () => {
    const { parent, say, pop, replace } = fresh();
    await say('a b c', 'd e f', 'g h i');
    await pop();
    await replace({ firstSequence: 1n, expectedCount: 1, messages: [said('x y z')], requestId: 'r' });
    await flush(mneme, parent);

    expect(await textsOf(mneme, parent)).toEqual(['a b c', 'x y z']);
  });

  it('an extractor that is down › delays nothing, is logged once, and is retried until it answers', async () => {
    const { parent, say } = fresh();
    extractor.isDown = true;
    await say('a b c');
    expect(await flush(mneme, parent, { deadlineMs: 1500 })).toMatchObject({
      complete: false,
      pendingCount: 1,
      conversations: [{ error: 'EXTRACTOR_UNAVAILABLE: the extractor is down' }],
    });
    await say('d e f');
    await flush(mneme, parent, { deadlineMs: 500 });
    extractor.isDown = false;

    expect(await flush(mneme, parent)).toMatchObject({ complete: true });
    expect(mneme.log.filter(({ namespace }) => parent === `namespaces/${String(namespace)}`)).toHaveLength(1);
    expect(await textsOf(mneme, parent)).toEqual(['a b c', 'd e f']);
  });

  it('a message that cannot be extracted › is a dead letter, others go on, and it can be tried again', async () => {
    const { parent, say } = fresh();
    extractor.poisoned.add('bad');
    await say('a b c', 'bad', 'd e f');

    const flushed = await flush(mneme, parent);
    expect(flushed).toMatchObject({
      complete: false,
      pendingCount: 0,
      conversations: [
        {
          state: ExtractionState.EXTRACTION_STATE_FAILED,
          error: 'EXTRACTION_INVALID: cannot read message 1',
          failed: [{ first: 1n, last: 1n }],
        },
      ],
    });
    expect(await textsOf(mneme, parent)).toEqual(['a b c', 'd e f']);
    expect(await extractionStatus(mneme, parent)).toMatchObject({ failedCount: 1 });

    extractor.poisoned.clear();
    const { conversations } = mneme;
    const request = RetryExtractionRequest.fromPartial({ parent });
    expect(await ask(conversations, conversations.retryExtraction, request)).toEqual({ retriedCount: 1 });
    expect(await flush(mneme, parent)).toMatchObject({ complete: true });
    expect(await extractionStatus(mneme, parent)).toMatchObject({ failedCount: 0, conversations: [] });
    expect(await textsOf(mneme, parent, 'extraction_failure')).toEqual([]);
  });

  it('a namespace whose extractor hangs › holds up no other', async () => {
    const [hung, other] = [fresh(), fresh()];
    const gate = Promise.withResolvers<void>();
    extractor.gate = gate.promise;
    await hung.say('a b c');
    const flushing = flush(mneme, hung.parent);
    await seen(() => extractor.batches.length === 1);
    extractor.gate = Promise.resolve();
    await other.say('d e f');

    expect(await flush(mneme, other.parent)).toMatchObject({ complete: true });
    gate.resolve();
    expect(await flushing).toMatchObject({ complete: true });
  });

  it('watching › sends the status and its changes', async () => {
    const { parent, say } = fresh();
    await say('a b c');
    const interval = { seconds: 0n, nanos: 100_000_000 };
    const stream = mneme.conversations.watchExtraction(WatchExtractionRequest.fromPartial({ parent, interval }));
    const pending: number[] = [];
    stream.on('error', () => undefined);
    const done = new Promise<void>((resolve) => {
      stream.on('data', ({ status }: WatchExtractionResponse) => {
        pending.push(status?.pendingCount ?? -1);
        if (pending.length === 1) void flush(mneme, parent);
        if (status?.pendingCount === 0) resolve();
      });
    });
    await done;
    stream.cancel();

    expect(pending[0]).toBe(1);
    expect(pending.at(-1)).toBe(0);
  });

  it('the position of extraction › is not among the subscriptions', async () => {
    const { parent, say } = fresh();
    await say('a b c');
    await flush(mneme, parent);
    const { subscriptions } = mneme;
    const listed = await ask(
      subscriptions,
      subscriptions.listSubscriptions,
      ListSubscriptionsRequest.fromPartial({ parent }),
    );

    expect(listed.subscriptions).toEqual([]);
  });

  it('a namespace that does not exist › NOT_FOUND', async () => {
    const parent = freshNamespace();
    expect(await refusal(flush(mneme, parent))).toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    expect(await extractionStatus(mneme, parent)).toBeDefined();
  });
});

/** Resolves when the condition holds; the time limit of the test ends what never does. */
async function seen(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}
