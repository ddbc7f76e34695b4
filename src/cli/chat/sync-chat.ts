import { randomUUID } from 'node:crypto';
import {
  Content,
  type ConversationMessage,
  type MessageRole,
  type Mneme,
  NotFoundError,
  type TimedMessage,
} from '../../../clients/typescript/src/index.ts';
import { CommandFailure } from '../failure.ts';
import type { FoundChat } from './found-chat.ts';

/** Of one call. */
const CALL = { messagesMax: 200, charactersMax: 500_000 };
/** Messages that one call can replace. */
const REPLACED_MAX = 1000;

export interface SyncedChat {
  readonly storedCount: number;
  readonly knownCount: number;
  /** Messages that were stored before and are not of the conversation any more. */
  readonly replacedCount: number;
}

interface SyncOptions {
  /** Replaces a conversation of the same id that has nothing in common with this one. */
  readonly replace: boolean;
  readonly nowMs: number;
  onBatch(messageCount: number): void;
}

/**
 * Makes a stored conversation equal to that of a file: what is stored already stays as it is, the rest is appended, and
 * from the first message that differs on it is replaced. After an interruption the next call goes on.
 */
export async function syncChat(mneme: Mneme, chat: FoundChat, options: SyncOptions): Promise<SyncedChat> {
  const stored = await storedOf(mneme, chat.id);
  const target = chat.isPart ? withOutside(chat.messages, stored) : chat.messages;
  const bySequence = new Map(stored.map((message) => [message.sequence, message]));
  const isKnown = (message: TimedMessage, at: number) => {
    const other = bySequence.get(at);
    return other !== undefined && isSame(message, other);
  };
  const changed = [...bySequence.keys()].filter((at) => target[at] === undefined || !isKnown(target[at], at));
  const from = changed.reduce((least, at) => Math.min(least, at), target.length);
  if (changed.length > 0 && chat.idIsOfFile && !options.replace && !isAlike(target, stored)) throw otherChat(chat.id);
  const timed = withTimes(target, (at) => (at < from ? bySequence.get(at)?.eventTime : undefined), options.nowMs);
  const known = target.slice(0, from).filter(isKnown);
  options.onBatch(known.length);
  const missing = timed.map((message, sequence) => ({ ...message, sequence })).slice(0, from);
  await append(
    mneme,
    chat.id,
    missing.filter((_, at) => !bySequence.has(at)),
    options,
  );
  const suffix = stored.map(({ sequence }) => sequence).filter((sequence) => sequence >= from);
  const messages = timed.slice(from);
  if (suffix.length > 0) await replace(mneme, chat.id, { from, suffix, messages }, options);
  else
    await append(
      mneme,
      chat.id,
      messages.map((message, at) => ({ ...message, sequence: from + at })),
      options,
    );
  return { storedCount: target.length - known.length, knownCount: known.length, replacedCount: suffix.length };
}

async function storedOf(mneme: Mneme, id: string): Promise<ConversationMessage[]> {
  try {
    const stored: ConversationMessage[] = [];
    for await (const message of mneme.conversations.list(id, { pageSize: 1000 })) stored.push(message);
    return stored;
  } catch (error) {
    // The namespace does not exist yet.
    if (error instanceof NotFoundError) return [];
    throw error;
  }
}

/** Messages of a part of a conversation, with the stored ones before and after its times. */
function withOutside(
  messages: readonly TimedMessage[],
  stored: readonly ConversationMessage[],
): readonly TimedMessage[] {
  const times = messages.flatMap(({ eventTime }) => eventTime?.getTime() ?? []);
  const [first] = messages;
  if (times.length === 0 || stored.length === 0 || !first) return messages;
  const [begin, end] = [Math.min(...minMax(times)), Math.max(...minMax(times))];
  const sameFirst = stored.findIndex((message) => isSame(first, message));
  const before = stored.filter(
    ({ eventTime }, at) => eventTime.getTime() < begin || (at < sameFirst && eventTime.getTime() === begin),
  );
  const after = stored.filter(({ eventTime }) => eventTime.getTime() > end);
  return [...before.map(again), ...messages, ...after.map(again)];
}

function minMax(times: readonly number[]): [number, number] {
  return times.reduce<[number, number]>(
    ([min, max], time) => [Math.min(min, time), Math.max(max, time)],
    [Infinity, -Infinity],
  );
}

function again({ role, name, blocks, eventTime }: ConversationMessage): TimedMessage {
  return { role: role as MessageRole, name, blocks, eventTime };
}

/** A message without a time is the same at any time. */
function isSame(message: TimedMessage, stored: ConversationMessage): boolean {
  const isAtTime = message.eventTime === undefined || message.eventTime.getTime() === stored.eventTime.getTime();
  return (
    isAtTime &&
    message.role === stored.role &&
    (message.name ?? '') === stored.name &&
    sayingOf(message) === sayingOf(stored)
  );
}

function sayingOf({ text, blocks = [] }: Pick<TimedMessage, 'text' | 'blocks'>): string {
  const all = (text === undefined ? blocks : [{ text }]).map((block) => {
    if ('text' in block) return { text: block.text };
    if ('toolCall' in block) {
      const { id = '', name, argumentsJson = '' } = block.toolCall;
      return { call: [id, name, argumentsJson] };
    }
    if ('toolResult' in block) {
      const { callId = '', text: result = '', isError = false } = block.toolResult;
      return { result: [callId, result, isError] };
    }
    const { mediaType, data } = block.data instanceof Content ? block.data : Content.json(block.data);
    return { mediaType, data: Buffer.from(data).toString('base64') };
  });
  return JSON.stringify(all);
}

/** Whether two conversations with one id are versions of one: half of the shorter one is in the other. */
function isAlike(messages: readonly TimedMessage[], stored: readonly ConversationMessage[]): boolean {
  const sayings = new Set(stored.map((message) => `${message.role} ${sayingOf(message)}`));
  const shared = messages.filter((message) => sayings.has(`${message.role} ${sayingOf(message)}`)).length;
  return shared > 0 && shared * 2 >= Math.min(messages.length, stored.length);
}

function otherChat(id: string): CommandFailure {
  return new CommandFailure(
    `${id}: another conversation is stored under this id. Name this one with --conversation, or replace that one with --replace`,
  );
}

async function append(
  mneme: Mneme,
  id: string,
  messages: readonly TimedMessage[],
  { onBatch }: SyncOptions,
): Promise<void> {
  for (const batch of batchesOf(messages)) {
    await mneme.conversations.append(id, batch);
    onBatch(batch.length);
  }
}

interface Replacement {
  readonly from: number;
  /** Sequence numbers that are stored from there on. */
  readonly suffix: readonly number[];
  readonly messages: readonly TimedMessage[];
}

async function replace(
  mneme: Mneme,
  id: string,
  { from, suffix, messages }: Replacement,
  options: SyncOptions,
): Promise<void> {
  let left = suffix.length;
  for (; left > REPLACED_MAX; left -= REPLACED_MAX) {
    const firstSequence = suffix[left - REPLACED_MAX] ?? from;
    await mneme.conversations.replaceSuffix(
      id,
      { firstSequence, expectedCount: REPLACED_MAX },
      { requestId: randomUUID() },
    );
  }
  const [first = [], ...others] = batchesOf(messages);
  await mneme.conversations.replaceSuffix(id, { firstSequence: from, expectedCount: left, messages: first });
  options.onBatch(first.length);
  const rest = others.flat().map((message, at) => ({ ...message, sequence: from + first.length + at }));
  await append(mneme, id, rest, options);
}

function* batchesOf<Message extends TimedMessage>(messages: readonly Message[]): Generator<Message[]> {
  let batch: Message[] = [];
  let characters = 0;
  for (const message of messages) {
    const length = sayingOf(message).length;
    if (batch.length >= CALL.messagesMax || (batch.length > 0 && characters + length > CALL.charactersMax)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(message);
    characters += length;
  }
  if (batch.length > 0) yield batch;
}

/** Between messages that have no neighbour with a time on one side. */
const STEP_MS = 1;

/**
 * Gives a time to each message that has none: between those of its neighbours, in order. Before the first time and after
 * the last one they are a millisecond apart; without any time the last message is of now. `storedAt` has the times of
 * messages that are stored already.
 */
function withTimes(
  messages: readonly TimedMessage[],
  storedAt: (at: number) => Date | undefined,
  nowMs: number,
): TimedMessage[] {
  const known = messages.map(({ eventTime }, at) => eventTime ?? storedAt(at));
  const firstKnown = known.findIndex((time) => time !== undefined);
  let before = -1;
  let after = firstKnown;
  return messages.map((message, at) => {
    const time = known[at];
    if (time) {
      before = at;
      return message.eventTime ? message : { ...message, eventTime: time };
    }
    if (after <= at && after !== -1) after = known.findIndex((each, index) => index > at && each !== undefined);
    const start = known[before]?.getTime();
    const end = known[after]?.getTime();
    return {
      ...message,
      eventTime: new Date(between({ start, end, passed: at - before, left: after - at }, messages.length - at, nowMs)),
    };
  });
}

interface Gap {
  readonly start: number | undefined;
  readonly end: number | undefined;
  /** Messages since the one with the time `start`, and until the one with the time `end`. */
  readonly passed: number;
  readonly left: number;
}

function between({ start, end, passed, left }: Gap, untilEnd: number, nowMs: number): number {
  if (start !== undefined && end !== undefined) return start + ((end - start) * passed) / (passed + left);
  if (start !== undefined) return start + passed * STEP_MS;
  return end === undefined ? nowMs - untilEnd * STEP_MS : end - left * STEP_MS;
}
