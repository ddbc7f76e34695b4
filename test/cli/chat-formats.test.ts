import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readChats } from '../../src/cli/chat/chat-files.ts';
import type { FoundChats } from '../../src/cli/chat/found-chat.ts';
import { zipOf } from './support/zip-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'mneme-chat-formats-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;

async function read(content: unknown, name = 'conversations.json', query = {}): Promise<FoundChats> {
  const path = join(folder, String(++count), name);
  mkdirSync(dirname(path), { recursive: true });
  const bytes = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
  writeFileSync(path, bytes);
  return readChats(path, { timeZone: 'UTC', ...query });
}

/** Author, text and minute of each message of the first conversation. */
function linesOf({ chats: [chat] }: FoundChats): string[] {
  return (chat?.messages ?? []).map(({ role, name, text, blocks = [], eventTime }) => {
    const parts = blocks.map((block) => {
      if ('text' in block) return block.text;
      return 'toolCall' in block
        ? `<${block.toolCall.name}>`
        : 'toolResult' in block
          ? `(${block.toolResult.text})`
          : '';
    });
    const time = eventTime ? ` ${eventTime.toISOString().slice(0, 19)}` : '';
    return `${name ?? role}: ${text ?? parts.join(' ')}${time}`;
  });
}

/** A straight conversation of ChatGPT. */
function gpt(...messages: readonly object[]): object[] {
  const mapping = Object.fromEntries(
    messages.map((message, at) => [
      `n${at}`,
      { parent: at === 0 ? null : `n${at - 1}`, children: at + 1 < messages.length ? [`n${at + 1}`] : [], message },
    ]),
  );
  return [{ id: 'g', title: 'T', current_node: `n${messages.length - 1}`, mapping }];
}

const said = (role: string, content: object, others: object = {}) => ({ author: { role }, content, ...others });

describe('C1 everything with text in an export of ChatGPT', () => {
  it('each kind of content › is read', async () => {
    const found = await read(
      gpt(
        said('system', { content_type: 'text', parts: [''] }),
        said('user', {
          content_type: 'user_editable_context',
          user_profile: 'I bake.',
          user_instructions: 'Be brief.',
        }),
        said('user', {
          content_type: 'multimodal_text',
          parts: [
            { content_type: 'audio_transcription', text: 'Does the lift work?', direction: 'in' },
            { content_type: 'audio_asset_pointer', asset_pointer: 'x' },
            { content_type: 'image_asset_pointer', asset_pointer: 'y' },
            'See the photo.',
          ],
        }),
        said('assistant', { content_type: 'thoughts', thoughts: [{ summary: 'Lift', content: 'They ask about it.' }] }),
        said('assistant', { content_type: 'code', language: 'python', text: 'print(4)' }, { recipient: 'python' }),
        said('tool', { content_type: 'execution_output', text: '4' }, { author: { role: 'tool', name: 'python' } }),
        said(
          'assistant',
          { content_type: 'code', text: JSON.stringify({ name: 'Plan', type: 'document', content: 'Gate 9' }) },
          { recipient: 'canmore.create_textdoc' },
        ),
        said('tool', { content_type: 'tether_quote', title: 'Lifts', url: 'https://a.example', text: 'Out of order.' }),
        said('assistant', { content_type: 'of_tomorrow', widget: { label: 'Call the porter.' } }),
        said(
          'user',
          { content_type: 'text', parts: ['Thanks'] },
          { metadata: { attachments: [{ name: 'a.pdf', mime_type: 'application/pdf' }] } },
        ),
      ),
    );

    expect(linesOf(found)).toEqual([
      'user: I bake.\n\nBe brief.',
      'user: Does the lift work?\n\nSee the photo.',
      'assistant: They ask about it.\n\nLift',
      'assistant: print(4)',
      'python: (4)',
      'assistant: Plan\n\nGate 9',
      'tool: (Lifts\n\nhttps://a.example\n\nOut of order.)',
      'assistant: Call the porter.',
      'user: Thanks',
    ]);
    expect(Object.fromEntries(found.skipped)).toEqual({ audio: 1, image: 1, file: 1 });
  });

  it('a turn that was made anew › the one that was shown is read, the other is counted', async () => {
    const [chat = {}] = gpt(said('user', { parts: ['Hi'] }), said('assistant', { parts: ['Hello'] })) as {
      mapping?: object;
    }[];
    const mapping = {
      ...chat.mapping,
      other: { parent: 'n0', children: [], message: said('assistant', { parts: ['Yo'] }) },
    };

    const found = await read([{ ...chat, mapping }]);
    expect(linesOf(found)).toEqual(['user: Hi', 'assistant: Hello']);
    expect(Object.fromEntries(found.skipped)).toEqual({ 'message of another branch': 1 });
  });

  it('a conversation that is not in an array › is read', async () => {
    expect(linesOf(await read(gpt(said('user', { parts: ['Alone'] }))[0]))).toEqual(['user: Alone']);
  });
});

describe('C2 everything with text in an export of Claude', () => {
  it('attachments, files, tools and thinking › are read or counted', async () => {
    const found = await read([
      {
        uuid: 'c',
        chat_messages: [
          { sender: 'human', text: '', attachments: [{ file_name: 'a.txt', extracted_content: 'Gate code 4417' }] },
          { sender: 'human', text: 'And this?', content: [], files: [{ file_name: 'b.png' }] },
          {
            sender: 'assistant',
            text: 'Fine.',
            created_at: '2026-05-01T09:00:00Z',
            content: [
              { type: 'thinking', thinking: 'Hm.' },
              { type: 'tool_use', id: 't', name: 'search', input: { q: 'gate' } },
              { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'Gate 9' }] },
              { type: 'tool_use', name: 'artifacts', input: { title: 'Plan', content: 'Go left.' } },
              { type: 'text', text: 'Fine.' },
            ],
          },
        ],
      },
    ]);

    expect(linesOf(found)).toEqual([
      'user: Gate code 4417',
      'user: And this?',
      'assistant: Hm. <search> (Gate 9) Plan\n\nGo left.\n\nFine. 2026-05-01T09:00:00',
    ]);
    expect(Object.fromEntries(found.skipped)).toEqual({ image: 1 });
  });

  it('edited turns › the branch of the last message is read', async () => {
    const message = (uuid: string, parent: string, text: string) => ({
      uuid,
      parent_message_uuid: parent,
      sender: uuid.startsWith('a') ? 'assistant' : 'human',
      text,
    });
    const chat_messages = [
      message('h1', '0', 'Old'),
      message('a1', 'h1', 'No'),
      message('h2', '0', 'New'),
      message('a2', 'h2', 'Yes'),
    ];

    const found = await read({ uuid: 'c', name: 'N', chat_messages });
    expect(linesOf(found)).toEqual(['user: New', 'assistant: Yes']);
    expect(Object.fromEntries(found.skipped)).toEqual({ 'message of another branch': 2 });
  });
});

describe('C5 JSON of other programs', () => {
  it('messages and conversations, as lines and as arrays › are read', async () => {
    const lines = [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: null },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{}' } }] },
      { type: 'human', data: { content: 'Bye' } },
    ];
    const expected = ['user: Hi', 'assistant: <look>', 'user: Bye'];
    const asLines = lines.map((line) => JSON.stringify(line)).join('\n');

    const found = await read(asLines, 'talk.jsonl');
    expect([linesOf(found), found.chats[0]?.id]).toEqual([expected, 'talk']);
    expect(Object.fromEntries(found.skipped)).toEqual({ 'message without text': 1 });
    expect(linesOf(await read(lines, 'talk.json'))).toEqual(expected);
    expect(linesOf(await read({ id: 'x', messages: lines }, 'talk.json'))).toEqual(expected);
    const two = await read(
      `${JSON.stringify({ messages: lines.slice(0, 1) })}\n${JSON.stringify({ id: 'y', messages: lines })}`,
      'talk.jsonl',
    );
    expect(two.chats.map(({ id, messages }) => [id, messages.length])).toEqual([
      ['talk', 1],
      ['y', 3],
    ]);
  });

  it('a key that is not read › is named, a misspelt one is refused', async () => {
    const found = await read(
      '{"role":"user","text":"Hi","mood":"good"}\n{"role":"user","text":"Ho","time":1714554000}',
      'a.jsonl',
    );
    expect(Object.fromEntries(found.unreadKeys)).toEqual({ mood: 1 });
    const { chats, faults } = await read('{"role":"user","text":"Hi","timestmp":"2026-05-01"}', 'b.jsonl');
    expect([chats, faults.map(({ message }) => message)]).toEqual([
      [],
      [expect.stringContaining('b.jsonl:1: timestmp: is not a key of a message: did you mean timestamp?')],
    ]);
  });

  it('conversations without ids › are not joined with others of the file', async () => {
    const { chats, faults } = await read(
      [{ messages: [{ role: 'user', text: 'A' }] }, { messages: [{ role: 'user', text: 'B' }] }],
      'a.json',
    );
    expect([chats.length + faults.length, chats.every(({ messages }) => messages.length === 1)]).toEqual([2, true]);
  });
});

describe('C6 exports of messengers', () => {
  it.each<[string, string]>([
    [
      'Android',
      '31/12/2023, 21:05 - Messages and calls are end-to-end encrypted.\n31/12/2023, 21:05 - Ada: Hi: there\nsecond line\n31/12/2023, 21:06 - Ben: <Media omitted>\n31/12/2023, 21:07 - Ben: IMG-1.jpg (file attached)\nThe lake',
    ],
    [
      'Android, 12 hours',
      '12/31/23, 9:05\u202fPM - Ada created group "x"\n12/31/23, 9:05\u202fPM - Ada: Hi: there\nsecond line\n12/31/23, 9:06\u202fPM - Ben: <Media omitted>\n12/31/23, 9:07\u202fPM - Ben: IMG-1.jpg (file attached)\nThe lake',
    ],
    [
      'iOS',
      '\u200e[31.12.23, 21:05:00] Group: \u200eMessages and calls are end-to-end encrypted.\r\n[31.12.23, 21:05:00] Ada: Hi: there\r\nsecond line\r\n\u200e[31.12.23, 21:06:00] Ben: \u200eimage omitted\r\n\u200e[31.12.23, 21:07:00] Ben: The lake\r\n',
    ],
    [
      'iOS, 12 hours',
      '[12/31/23, 9:05:00 PM] Ada: \u200eMessages and calls are end-to-end encrypted.\n[12/31/23, 9:05:00 PM] Ada: Hi: there\nsecond line\n\u200e[12/31/23, 9:06:00 PM] Ben: \u200e<attached: 1-PHOTO.jpg>\n[12/31/23, 9:07:00 PM] Ben: The lake',
    ],
  ])('WhatsApp of %s › is read', async (_, text) => {
    const found = await read(text, 'WhatsApp Chat with Ada.txt');

    expect(linesOf(found)).toEqual([
      'Ada: Hi: there\nsecond line 2023-12-31T21:05:00',
      'Ben: The lake 2023-12-31T21:07:00',
    ]);
    expect(found.chats[0]?.id).toBe('WhatsApp Chat with Ada');
    expect(found.skipped.get('line of WhatsApp itself')).toBe(1);
    expect([...found.skipped.keys()].some((kind) => kind === 'media' || kind === 'image')).toBe(true);
  });

  it('WhatsApp › dates of either order are told by the whole chat, and a zone counts', async () => {
    const ambiguous = await read('1/2/2024, 10:00 - A: x\n3/2/2024, 10:00 - A: y\n2/3/2024, 10:00 - A: z', 'a.txt');
    expect(linesOf(ambiguous).at(-1)).toBe('A: z 2024-03-02T10:00:00');
    const tokyo = await read('1/2/2024, 10:00 - A: x', 'a.txt', { timeZone: 'Asia/Tokyo', dateOrder: 'mdy' });
    expect(linesOf(tokyo)).toEqual(['A: x 2024-01-02T01:00:00']);
    expect((await read('1/2/2024, 10:00 - A: x', 'a.txt')).notes).toEqual([
      expect.stringContaining('--date-order mdy'),
    ]);
  });

  it('Slack › a ZIP with days of channels is read with names', async () => {
    const day = (ts: string, text: string, others = {}) => ({ type: 'message', user: 'U1', ts, text, ...others });
    const zip = zipOf({
      'users.json': [{ id: 'U1', profile: { display_name: 'ada' } }],
      'channels.json': [{ id: 'C1', name: 'general' }],
      'general/2024-05-02.json': [day('1714640400.000100', 'Second &amp; last')],
      'general/2024-05-01.json': [
        day('1714554000.000100', '<@U1> has joined', { subtype: 'channel_join' }),
        day('1714554060.000100', 'Hi <@U1>, see <https://a.example|this>', { files: [{ mimetype: 'image/png' }] }),
      ],
    });

    const found = await read(zip, 'slack.zip');
    expect([found.chats[0]?.id, found.formats]).toEqual(['C1', ['export of Slack']]);
    expect(linesOf(found)).toEqual([
      'ada: Hi @ada, see this (https://a.example) 2024-05-01T09:01:00',
      'ada: Second & last 2024-05-02T09:00:00',
    ]);
    expect(Object.fromEntries(found.skipped)).toEqual({ 'line of Slack itself': 1, image: 1 });
  });

  it('Discord › exporter and package are read', async () => {
    const author = { id: '1', name: 'ada', nickname: 'Ada', isBot: false };
    const found = await read({
      guild: { name: 'Home' },
      channel: { id: '77', name: 'general' },
      messages: [
        { type: 'GuildMemberJoin', timestamp: '2024-05-01T09:00:00+00:00', content: 'Joined.', author },
        {
          type: 'Default',
          timestamp: '2024-05-01T11:00:00+02:00',
          content: 'Hi',
          author,
          attachments: [{ fileName: 'a.png' }],
        },
      ],
    });
    expect([found.chats[0]?.id, linesOf(found)]).toEqual(['77', ['Ada: Hi 2024-05-01T09:00:00']]);
    const zip = zipOf({
      'messages/c5/channel.json': { id: '5', name: 'den', guild: { name: 'Home' } },
      'messages/c5/messages.csv':
        'ID,Timestamp,Contents,Attachments\n2,2024-05-01 10:00:00,"Two, ""quoted""",\n1,2024-05-01 09:00:00,One,\n',
    });
    const packed = await read(zip, 'package.zip');
    expect([packed.chats[0]?.id, linesOf(packed)]).toEqual([
      '5',
      ['user: One 2024-05-01T09:00:00', 'user: Two, "quoted" 2024-05-01T10:00:00'],
    ]);
  });

  it('Telegram › one chat and all chats are read', async () => {
    const chat = {
      name: 'Ada',
      id: 9,
      messages: [
        { type: 'service', date_unixtime: '1714554000', action: 'phone_call' },
        {
          type: 'message',
          date_unixtime: '1714554000',
          from: 'Ada',
          text: ['See ', { type: 'link', text: 'a.example' }],
        },
        { type: 'message', date_unixtime: '1714554060', from: 'Ben', text: '', media_type: 'voice_message' },
      ],
    };
    for (const value of [chat, { chats: { list: [chat] } }]) {
      const found = await read(value, 'result.json');
      expect([found.chats[0]?.id, linesOf(found)]).toEqual(['telegram-9', ['Ada: See a.example 2024-05-01T09:00:00']]);
      expect(Object.fromEntries(found.skipped)).toEqual({ 'line of Telegram itself': 1, audio: 1 });
    }
  });

  it.each<[string, unknown, string]>([
    ['a page', '<html><body>chat</body></html>', 'is a page or XML: export the chat as JSON'],
    ['a text', 'Dear Ada, thank you.', 'JSON lines of role and text are read, and exports of ChatGPT'],
    ['a binary file', Buffer.from([0x25, 0x50, 0xff, 0xfe, 0x80]), 'is no text of UTF-8'],
    ['an empty file', '', 'is empty'],
    ['a ZIP without a chat', zipOf({ 'a.txt': 'Nothing' }), 'no chat that is read'],
    ['a cut ZIP', zipOf({ 'a.txt': 'Nothing' }).subarray(0, 40), 'is no whole ZIP archive'],
  ])('%s › is refused with what is read', async (_, content, message) => {
    await expect(read(content, 'file.bin')).rejects.toThrow(message);
  });

  it('a ZIP that says less than it holds › ends at what it says', async () => {
    const zip = zipOf({ 'conversations.json': '[]'.padEnd(100_000) });
    const at = zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    zip.writeUInt32LE(10, at + 24);
    await expect(read(zip, 'a.zip')).rejects.toThrow('conversations.json cannot be unpacked');
  });
});
