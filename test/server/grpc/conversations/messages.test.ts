import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ClearMessagesRequest, MessageRole } from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import { GetMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { said, talk } from '../support/conversations.ts';
import { freshNamespace } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import type { TestServer } from '../support/test-server.ts';

describe.each(MEMORY_BACKENDS)('conversations (%s)', (backend) => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
  });
  afterAll(() => mneme?.stop());

  const fresh = () => talk(mneme, freshNamespace());

  it('messages without numbers › the server numbers them from 0, over calls', async () => {
    const { say, all } = fresh();

    expect(await say('one', 'two')).toMatchObject({ messages: [{ sequence: 0n }, { sequence: 1n }], gaps: [] });
    expect((await say('three')).messages).toMatchObject([{ sequence: 2n, alreadyStored: false }]);
    expect(await all()).toEqual(['0:one', '1:two', '2:three']);
  });

  it('a message › is a memory with its text, step, session, speaker and address', async () => {
    const { append } = fresh();
    const { messages } = await append({
      scope: { agent: 'ada' },
      messages: [{ ...said('I moved to Bern.'), name: 'Caroline', eventTime: { seconds: 1_700_000_000n, nanos: 0 } }],
    });
    const [{ memory: name } = { memory: '' }] = messages;

    const { memory } = await ask(mneme.memories, mneme.memories.getMemory, GetMemoryRequest.fromPartial({ name }));

    expect(memory).toMatchObject({
      type: 'message',
      text: 'I moved to Bern.',
      step: 0n,
      scope: { agent: 'ada', session: 'c' },
      source: { speaker: 'Caroline', uri: 'conversations/c/messages/0' },
      eventTime: { seconds: 1_700_000_000n },
    });
  });

  it('blocks of every kind › come back as they were', async () => {
    const { append, list } = fresh();
    const blocks = [
      { block: { $case: 'text' as const, value: 'first' } },
      { block: { $case: 'toolCall' as const, value: { id: 't1', name: 'weather', argumentsJson: '{"city":"Bern"}' } } },
      { block: { $case: 'toolResult' as const, value: { callId: 't1', text: 'sunny', isError: false } } },
      {
        block: {
          $case: 'data' as const,
          value: { mediaType: 'image/png', body: { $case: 'data' as const, value: Buffer.from([1, 2, 255]) } },
        },
      },
      { block: { $case: 'text' as const, value: 'second\n\nthird' } },
    ];
    await append({ messages: [{ role: MessageRole.MESSAGE_ROLE_ASSISTANT, name: 'bot', blocks }] });

    const { messages } = await list();

    expect(messages).toMatchObject([{ role: MessageRole.MESSAGE_ROLE_ASSISTANT, name: 'bot', blocks }]);
  });

  it('empty turns and turns of a million characters › are stored whole', async () => {
    const { append, all } = fresh();
    const long = `${'x'.repeat(1_048_000)} end`;
    await append({ messages: [{ role: MessageRole.MESSAGE_ROLE_ASSISTANT, blocks: [] }, said('  '), said(long)] });

    expect(await all()).toEqual(['0:', '1:  ', `2:${long}`]);
  });

  it('the same message again › is reported and changes nothing; a different one is refused', async () => {
    const { append, all } = fresh();
    await append({ messages: [said('one', 0), said('two', 1)] });

    const again = await append({ messages: [said('two', 1), said('three', 2)] });
    expect(again.messages.map(({ alreadyStored }) => alreadyStored)).toEqual([true, false]);
    const whole = await append({ messages: [said('one', 0), said('two', 1), said('three', 2)] });
    expect(whole.messages.every(({ alreadyStored }) => alreadyStored)).toBe(true);
    expect(await refusal(append({ messages: [said('other', 1), said('four', 3)] }))).toMatchObject({
      code: 'ALREADY_EXISTS',
      reason: 'MESSAGE_CONFLICT',
      metadata: { sequence: '1' },
    });
    expect(await all()).toEqual(['0:one', '1:two', '2:three']);
  });

  it('gaps › are accepted and reported, and can be filled', async () => {
    const { append, all } = fresh();

    expect((await append({ messages: [said('a', 2), said('b', 5)] })).gaps).toMatchObject([
      { first: 0n, last: 1n },
      { first: 3n, last: 4n },
    ]);
    expect((await append({ messages: [said('c', 3)] })).gaps).toEqual([]);
    expect(await all()).toEqual(['2:a', '3:c', '5:b']);
  });

  it('a repeated request id › takes effect once, with the same numbers', async () => {
    const { append, all } = fresh();
    const request = { messages: [said('one'), said('two')], requestId: 'r1' };
    const first = await append(request);
    await append({ messages: [said('three')] });

    expect((await append(request)).messages).toEqual(first.messages);
    expect(await all()).toEqual(['0:one', '1:two', '2:three']);
  });

  it('concurrent appends › lose and overwrite nothing', async () => {
    const { say, all } = fresh();
    const texts = Array.from({ length: 40 }, (_, at) => `t${at}`);
    const answers = await Promise.all(texts.map((text) => say(text)));

    const placed = answers.map(({ messages: [one] }, at) => `${one?.sequence}:${texts[at]}`);
    expect(new Set(await all())).toEqual(new Set(placed));
    expect(new Set(answers.map(({ messages: [one] }) => one?.sequence)).size).toBe(40);
  });

  it('the last message › is popped once for a request id', async () => {
    const { say, pop, all } = fresh();
    await say('one', 'two', 'three');

    const { message } = await pop({ requestId: 'p1' });
    expect(message).toMatchObject({ sequence: 2n, blocks: [{ block: { value: 'three' } }] });
    expect((await pop({ requestId: 'p1' })).message).toEqual(message);
    expect(await refusal(pop({ expectedSequence: 0n }))).toMatchObject({ code: 'ABORTED', reason: 'SUFFIX_MISMATCH' });
    await pop({ expectedSequence: 1n });
    await pop();
    expect(await refusal(pop())).toMatchObject({ code: 'NOT_FOUND', reason: 'CONVERSATION_NOT_FOUND' });
    expect(await all()).toEqual([]);
    expect((await say('again')).messages).toMatchObject([{ sequence: 0n }]);
  });

  it('a suffix › is replaced by fewer, as many and more messages, once for each operation', async () => {
    const { say, replace, all } = fresh();
    await say('one', 'two', 'three', 'four');
    const edit = { firstSequence: 1n, expectedCount: 3, messages: [said('zwei')], requestId: 'o1' };

    expect(await replace(edit)).toMatchObject({ replacedCount: 3, lastSequence: 1n });
    await say('after');
    await replace(edit);
    expect(await all()).toEqual(['0:one', '1:zwei', '2:after']);
    expect(await refusal(replace({ ...edit, requestId: 'o2' }))).toMatchObject({
      reason: 'SUFFIX_MISMATCH',
      metadata: { expected: '3 messages', actual: '2 messages' },
    });
    await replace({
      firstSequence: 1n,
      expectedCount: 2,
      messages: [said('b'), said('c'), said('d')],
      requestId: 'o3',
    });
    expect(await all()).toEqual(['0:one', '1:b', '2:c', '3:d']);
  });

  it('clearing › removes the messages of this conversation only', async () => {
    const parent = freshNamespace();
    const [one, other] = [talk(mneme, parent, 'a/b'), talk(mneme, parent, 'a')];
    await one.say('x', 'y');
    await other.say('z');
    const { conversations } = mneme;

    const request = ClearMessagesRequest.fromPartial({ conversation: one.conversation });
    expect(await ask(conversations, conversations.clearMessages, request)).toMatchObject({ clearedCount: 2 });

    expect(await one.all()).toEqual([]);
    expect(await other.all()).toEqual(['0:z']);
  });

  it('pages › follow one another in both directions', async () => {
    const { say, list } = fresh();
    await say(...Array.from({ length: 7 }, (_, at) => `t${at}`));
    const seen: bigint[] = [];
    for (let pageToken = ''; ; ) {
      const page = await list({ pageSize: 3, descending: true, fromSequence: 1n, pageToken });
      seen.push(...page.messages.map(({ sequence = -1n }) => sequence));
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }

    expect(seen).toEqual([6n, 5n, 4n, 3n, 2n, 1n]);
  });

  it('bad input › every fault is named', async () => {
    const { append, conversation } = fresh();
    const faulty = [
      said('a', 5),
      said('b', 5),
      { role: MessageRole.MESSAGE_ROLE_UNSPECIFIED, name: 'n'.repeat(200), blocks: [{}] },
    ];

    expect((await refusal(append({ messages: faulty }))).fields).toEqual([
      'messages[1].sequence',
      'messages[2].sequence',
      'messages[2].role',
      'messages[2].name',
      'messages[2].blocks[0]',
    ]);
    expect((await refusal(append({ messages: [] }))).fields).toEqual(['messages']);
    expect((await refusal(append({ conversation: `${conversation}s/`.slice(0, 12) }))).fields).toContain(
      'conversation',
    );
    const halves = Array.from({ length: 2 }, () => ({ block: { $case: 'text' as const, value: 'x'.repeat(600_000) } }));
    expect((await refusal(append({ messages: [{ role: 2, blocks: halves }] }))).fields).toEqual(['messages[0].blocks']);
  });
});
