import type { Command } from 'commander';
import type { ConversationMessage } from '../../clients/typescript/src/index.ts';
import { extractionLine, flushAll, reportFlush } from './chat/flush.ts';
import { defineImportChat } from './chat/import-chat.ts';
import { defineExtract } from './chat-extract.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { eachOrNone } from './failure.ts';
import { examples } from './help.ts';
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
    for await (const { scope, memoryCount } of eachOrNone(mneme.namespaces.listScopes())) {
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
    for await (const message of eachOrNone(mneme.conversations.list(conversation))) {
      await (flags.json ? printJson(message) : print(lineOf(message)));
      count += 1;
    }
    if (count === 0) process.stderr.write('no messages\n');
  });
}

function lineOf({ sequence, role, name, blocks, eventTime }: ConversationMessage): string {
  const parts = blocks.map((block) => {
    if ('text' in block) return printable(block.text);
    if ('toolCall' in block) {
      const { name, argumentsJson } = block.toolCall;
      return paint('dim', `[call of ${printable([name, argumentsJson].join(' ').trim())}]`);
    }
    if ('toolResult' in block) return paint('dim', `[result ${printable(block.toolResult.text)}]`);
    return paint('dim', `[${block.data.mediaType}]`);
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
