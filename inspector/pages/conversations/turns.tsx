import { useState } from 'preact/hooks';
import {
  type ConversationMessage,
  type MessageBlock,
  MessageRole,
} from '../../../gen/ts/mneme/v1/conversation_service.ts';
import type { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { listMemories } from '../../api/calls.ts';
import { listMessages } from '../../api/conversation-calls.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { LongText, PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { memoryAddress } from '../memories/address.ts';
import { quoted } from '../memories/memory-row.tsx';

/** A filter may have 64 alternatives, one for each turn of a page. */
const PAGE_SIZE = 50;
const EXTRACTED_MAX = 1000;
/** Signs of a turn: the next one stays in sight. */
const TURN_SHOWN = 1500;

interface TurnsProps {
  readonly namespace: string;
  readonly conversation: string;
}

/** Turns of a conversation, a page at a time, each with what was extracted from it. */
export function Turns({ namespace, conversation }: TurnsProps) {
  const [first, setFirst] = useState(0n);
  const asked = useAsked(
    (signal) => turnsFrom(namespace, conversation, first, signal),
    [namespace, conversation, String(first)],
  );
  if (asked.failure) return <Failure failure={asked.failure} again={asked.again} />;
  if (!asked.value) return <Loading>Reading the conversation …</Loading>;
  const { messages, extracted, isLast } = asked.value;
  const next = (messages.at(-1)?.sequence ?? 0n) + 1n;
  return (
    <>
      {messages.length === 0 && <Empty>This conversation has no messages.</Empty>}
      <ol class="turns">
        {messages.map((message) => (
          <Turn
            key={message.memory}
            namespace={namespace}
            message={message}
            extracted={extracted.get(message.memory) ?? []}
          />
        ))}
      </ol>
      <div class="row">
        {first > 0n && (
          <button type="button" onClick={() => setFirst(0n)}>
            From the beginning
          </button>
        )}
        {!isLast && (
          <button type="button" onClick={() => setFirst(next)}>
            Next turns
          </button>
        )}
      </div>
    </>
  );
}

const ROLES: Readonly<Record<number, string>> = {
  [MessageRole.MESSAGE_ROLE_USER]: 'user',
  [MessageRole.MESSAGE_ROLE_ASSISTANT]: 'assistant',
  [MessageRole.MESSAGE_ROLE_SYSTEM]: 'system',
  [MessageRole.MESSAGE_ROLE_TOOL]: 'tool',
};

interface TurnProps {
  readonly namespace: string;
  readonly message: ConversationMessage;
  readonly extracted: readonly Memory[];
}

function Turn({ namespace, message, extracted }: TurnProps) {
  const { sequence, role, name, blocks, eventTime, memory } = message;
  const who = ROLES[role] ?? 'unknown';
  return (
    <li class={`turn ${who}`}>
      <div class="stack">
        <div class="row small">
          <a href={memoryAddress(namespace, idOf(memory))}>{String(sequence ?? '')}</a>
          <strong>
            <PlainText text={name === '' ? who : `${name} (${who})`} max={160} />
          </strong>
          {eventTime && <Time at={eventTime} />}
        </div>
        {blocks.map((block, at) => (
          <Block key={`${at}`} block={block} />
        ))}
        {extracted.length > 0 && (
          <ul class="related" aria-label={`Extracted from turn ${String(sequence ?? '')}`}>
            {extracted.map(({ name: of, text, type, supersededBy }) => (
              <li key={of}>
                <span class="badge good">{type}</span>{' '}
                <a href={memoryAddress(namespace, idOf(of))}>
                  <PlainText text={text} max={200} />
                </a>
                {supersededBy !== '' && <span class="badge warn">superseded</span>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

function Block({ block: { block } }: { readonly block: MessageBlock }) {
  switch (block?.$case) {
    case 'text':
      return <LongText text={block.value} max={TURN_SHOWN} />;
    case 'toolCall':
      return (
        <p class="mono small prose">
          <PlainText text={`${block.value.name} ${block.value.argumentsJson}`} max={2000} />
        </p>
      );
    case 'toolResult':
      return (
        <p class="mono small prose">
          <PlainText text={block.value.text} max={2000} />
        </p>
      );
    case 'data':
      return <p class="quiet small">Content that is no text</p>;
    default:
      return null;
  }
}

async function turnsFrom(namespace: string, id: string, fromSequence: bigint, signal: AbortSignal) {
  const parent = namespaceName(namespace);
  const conversation = `${parent}/conversations/${id}`;
  const { messages, nextPageToken } = await listMessages({ conversation, fromSequence, pageSize: PAGE_SIZE }, signal);
  return { messages, isLast: nextPageToken === '', extracted: await extractedFrom(parent, messages, signal) };
}

/** Memories that name a message among their sources, by the name of the message. */
async function extractedFrom(
  parent: string,
  messages: readonly ConversationMessage[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly Memory[]>> {
  const found = new Map<string, Memory[]>(messages.map(({ memory }) => [memory, []]));
  if (messages.length === 0) return found;
  const filterText = messages.map(({ memory }) => `content.sources = ${quoted(memory)}`).join(' OR ');
  const { memories } = await listMemories({ parent, filterText, pageSize: EXTRACTED_MAX }, signal);
  for (const memory of memories) for (const source of sourcesOf(memory)) found.get(source)?.push(memory);
  return found;
}

function sourcesOf({ content }: Memory): readonly string[] {
  if (content?.body?.$case !== 'json') return [];
  try {
    const { sources } = JSON.parse(content.body.value) as { readonly sources?: unknown };
    return Array.isArray(sources) ? sources.filter((source) => typeof source === 'string') : [];
  } catch {
    return [];
  }
}
