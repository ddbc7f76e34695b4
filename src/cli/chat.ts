import { type Command, Option } from 'commander';
import type {
  ConversationExtraction,
  ConversationMessage,
  FlushResult,
  Mneme,
  NewConversationMessage,
} from '../../clients/typescript/src/index.ts';
import { defineExtract } from './chat-extract.ts';
import { type ChatInFile, readChats } from './chat-files.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { CommandFailure, PARTLY_DONE } from './failure.ts';
import { examples } from './help.ts';
import { progressBar } from './progress-bar.ts';
import { counted, paint, print, printable, printJson } from './terminal.ts';

export function defineChat(command: Command): void {
  command.description('Import conversations, show them, and see what is extracted from them.');
  for (const define of [defineImportChat, defineChatList, defineShow, defineStatus, defineFlush, defineRetry]) {
    addClientFlags(addJsonFlag(define(command)));
  }
  defineExtract(command);
  command.addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples:
  $ mneme chat import conversations.json --flush
  $ mneme chat list
  $ mneme chat show support-42
  $ mneme chat status
  $ mneme chat flush
  $ mneme chat extract --exec './facts-by-my-model'`;

/** Of one call. */
const CALL = { messagesMax: 200, charactersMax: 500_000 };
const FLUSH_SLICE_MS = 2000;
/** Slices without any progress after which a flush is given up. */
const IDLE_SLICES_MAX = 5;

interface ImportFlags extends ClientFlags {
  readonly conversation?: string;
  readonly flush?: boolean;
}

function defineImportChat(command: Command): Command {
  return command
    .command('import')
    .argument('<file>', 'JSON lines of role and text, or an export of ChatGPT or Claude (conversations.json)')
    .description(
      'Append the conversations of a file, with the keys role, text, name, time and conversation on a line. ' +
        'Importing a file again changes nothing.',
    )
    .addOption(new Option('--conversation <id>', 'id of the conversation; default: the name of the file'))
    .option('--flush', 'wait until memories are extracted')
    .addHelpText('after', examples('mneme chat import chat.jsonl', 'mneme chat import conversations.json --flush'))
    .action(importChat);
}

async function importChat(file: string, flags: ImportFlags): Promise<void> {
  const chats = await readChats(file, flags.conversation);
  const total = chats.reduce((sum, { messages }) => sum + messages.length, 0);
  const bar = progressBar('importing');
  await withClient(flags, async (mneme) => {
    let done = 0;
    let storedCount = 0;
    try {
      for (const { id, messages } of chats) {
        for (const batch of batchesOf(messages)) {
          const appended = await mneme.conversations.append(id, batch);
          storedCount += appended.messages.filter(({ alreadyStored }) => !alreadyStored).length;
          done += batch.length;
          bar.update(done, total, `${done} messages`);
        }
      }
    } finally {
      bar.stop();
    }
    const flushed = flags.flush ? await flushAll(mneme, '') : undefined;
    await printImported(chats, { storedCount, total, flushed }, flags.json);
  });
}

function* batchesOf(messages: readonly NewConversationMessage[]): Generator<NewConversationMessage[]> {
  let batch: NewConversationMessage[] = [];
  let characters = 0;
  for (const message of messages) {
    const { length } = message.text ?? '';
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

async function printImported(
  chats: readonly ChatInFile[],
  done: { readonly storedCount: number; readonly total: number; readonly flushed: FlushResult | undefined },
  json = false,
): Promise<void> {
  const { storedCount, total, flushed } = done;
  if (json) {
    await printJson({
      conversations: chats.map(({ id, title, messages }) => ({ id, title, messageCount: messages.length })),
      storedCount,
      knownCount: total - storedCount,
      ...(flushed && { flushed }),
    });
  } else {
    const known = total > storedCount ? `, ${total - storedCount} stored before` : '';
    await print(`${counted(storedCount, 'message')} of ${counted(chats.length, 'conversation')} stored${known}`);
  }
  if (flushed) await reportFlush(flushed, json);
}

function defineChatList(command: Command): Command {
  return command
    .command('list')
    .description('List the conversations of the namespace, with their numbers of memories.')
    .addHelpText('after', examples('mneme chat list'))
    .action(listChats);
}

async function listChats(flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const counts = new Map<string, number>();
    for await (const { scope, memoryCount } of mneme.namespaces.listScopes()) {
      const { session = '' } = scope;
      if (session !== '') counts.set(session, (counts.get(session) ?? 0) + memoryCount);
    }
    for (const [id, memoryCount] of counts) {
      await (flags.json
        ? printJson({ id, memoryCount })
        : print(`${printable(id)}  ${paint('dim', counted(memoryCount, 'memory', 'memories'))}`));
    }
    if (counts.size === 0) process.stderr.write('no conversations\n');
  });
}

function defineShow(command: Command): Command {
  return command
    .command('show')
    .argument('<conversation>', 'id of the conversation')
    .description('Show the messages of a conversation.')
    .addHelpText('after', examples('mneme chat show support-42'))
    .action(showChat);
}

async function showChat(conversation: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    let count = 0;
    for await (const message of mneme.conversations.list(conversation)) {
      await (flags.json ? printJson(message) : print(lineOf(message)));
      count += 1;
    }
    if (count === 0) process.stderr.write('no messages\n');
  });
}

function lineOf({ sequence, role, name, blocks, eventTime }: ConversationMessage): string {
  const parts = blocks.map((block) => {
    if ('text' in block) return printable(block.text);
    if ('toolCall' in block) return paint('dim', `[call of ${printable(block.toolCall.name)}]`);
    return paint('dim', 'toolResult' in block ? '[result of a tool]' : `[${block.data.mediaType}]`);
  });
  const head = `${sequence}  ${eventTime.toISOString().slice(0, 16).replace('T', ' ')}`;
  return `${paint('dim', head)}  ${paint('bold', printable(name || role))}: ${parts.join(' ')}`;
}

function defineStatus(command: Command): Command {
  return command
    .command('status')
    .argument('[conversation]', 'id of one conversation', '')
    .description('Show what is pending, being extracted or failed.')
    .addHelpText('after', examples('mneme chat status', 'mneme chat status support-42'))
    .action(showStatus);
}

async function showStatus(conversation: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const status = await mneme.conversations.getExtractionStatus({ conversation });
    if (flags.json) return printJson(status);
    const { extractor, pendingCount, failedCount, conversations, degraded } = status;
    await print(`extractor ${extractor}, ${pendingCount} pending, ${failedCount} failed`);
    if (degraded !== '') await print(paint('yellow', printable(degraded)));
    for (const each of conversations) await print(extractionLine(each));
  });
}

function extractionLine(extraction: ConversationExtraction): string {
  const { conversation, state, pendingCount, lastExtractedSequence, failed, error } = extraction;
  const ranges = failed.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
  const parts = [
    `${printable(conversation)}  ${state}`,
    ...(pendingCount > 0 ? [`${pendingCount} pending`] : []),
    ...(lastExtractedSequence === undefined ? [] : [`extracted up to ${lastExtractedSequence}`]),
    ...(ranges === '' ? [] : [`failed: ${ranges}`]),
    ...(error === '' ? [] : [printable(error)]),
  ];
  return parts.join(', ');
}

function defineFlush(command: Command): Command {
  return command
    .command('flush')
    .argument('[conversation]', 'id of one conversation', '')
    .description('Extract what is pending now, and wait for it.')
    .addHelpText('after', examples('mneme chat flush'))
    .action(flushChat);
}

async function flushChat(conversation: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const flushed = await flushAll(mneme, conversation);
    if (flags.json) await printJson(flushed);
    await reportFlush(flushed, flags.json);
  });
}

/** Waits for as long as anything is being extracted, or the number of pending messages falls. */
async function flushAll(mneme: Mneme, conversation: string): Promise<FlushResult> {
  const bar = progressBar('extracting');
  try {
    let total: number | undefined;
    let idleCount = 0;
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const flushed = await mneme.conversations.flush({ conversation }, { timeoutMs: FLUSH_SLICE_MS });
      const { pendingCount, complete, conversations } = flushed;
      total ??= pendingCount;
      bar.update(total - pendingCount, total, `${pendingCount} pending`);
      const isMoving = pendingCount < before || conversations.some(({ state }) => state === 'extracting');
      idleCount = isMoving ? 0 : idleCount + 1;
      if (complete || idleCount >= IDLE_SLICES_MAX) return flushed;
      if (conversations.length > 0 && conversations.every(({ state }) => state === 'failed')) return flushed;
      before = pendingCount;
    }
  } finally {
    bar.stop();
  }
}

async function reportFlush({ complete, conversations, degraded }: FlushResult, json = false): Promise<void> {
  if (complete) {
    if (!json) await print('everything is extracted');
    return;
  }
  const lines = conversations.map((each) => extractionLine(each));
  const why = [...(degraded === '' ? [] : [degraded]), ...lines].join('; ');
  throw new CommandFailure(`not everything is extracted: ${why || 'the server is still reading'}`, {
    exitCode: PARTLY_DONE,
  });
}

function defineRetry(command: Command): Command {
  return command
    .command('retry')
    .argument('[conversation]', 'id of one conversation', '')
    .description('Try again to extract from messages that were given up.')
    .addHelpText('after', examples('mneme chat retry'))
    .action(retryChat);
}

async function retryChat(conversation: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const { retriedCount } = await mneme.conversations.retryExtraction({ conversation });
    await (flags.json ? printJson({ retriedCount }) : print(`${counted(retriedCount, 'message')} tried again`));
  });
}
