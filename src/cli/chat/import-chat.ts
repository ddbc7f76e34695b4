import { type Command, Option } from 'commander';
import { type FlushResult, type Mneme, MnemeError } from '../../../clients/typescript/src/index.ts';
import { type ClientFlags, withClient } from '../client-flags.ts';
import { CommandFailure, FirstFaults, INPUT_REFUSED, PARTLY_DONE } from '../failure.ts';
import { examples } from '../help.ts';
import { timeZone } from '../parse-flag.ts';
import { progressBar } from '../progress-bar.ts';
import { counted, paint, print, printable, printJson } from '../terminal.ts';
import { readChats } from './chat-files.ts';
import { CHAT_FORMATS, type ChatFormat } from './chat-formats.ts';
import { flushAll, reportFlush } from './flush.ts';
import type { DateOrder } from './formats/whatsapp.ts';
import type { FoundChat, FoundChats } from './found-chat.ts';
import { syncChat } from './sync-chat.ts';

interface ImportFlags extends ClientFlags {
  readonly conversation?: string;
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly flush?: boolean;
  readonly format?: ChatFormat;
  readonly dateOrder?: DateOrder;
  readonly timeZone: string;
}

export function defineImportChat(command: Command): Command {
  return command
    .command('import')
    .argument('<file>', 'file, ZIP archive or folder; "-" is stdin')
    .description(
      'Import the conversations of a file: JSON lines of role and text (with name, time and conversation), or an export of ' +
        'ChatGPT, Claude, Slack, Discord, Telegram or WhatsApp. The format is found by the content. ' +
        'Importing a file again changes nothing; a later export of the same chats updates them.',
    )
    .option('--dry-run', 'show what would be read, without a server; store nothing')
    .addOption(
      new Option('--conversation <id>', 'id of the conversation; default: its id in the file, or the name of the file'),
    )
    .option('--replace', 'replace a stored conversation of the same id that has nothing in common with this one')
    .option('--flush', 'wait until memories are extracted')
    .addOption(new Option('--format <name>', 'read the file in this format').choices(CHAT_FORMATS))
    .addOption(
      new Option('--date-order <order>', 'order of day, month and year, for WhatsApp').choices(['dmy', 'mdy', 'ymd']),
    )
    .addOption(
      new Option('--time-zone <zone>', 'zone of times without one, for WhatsApp, such as Europe/Bern')
        .argParser(timeZone)
        .default('UTC'),
    )
    .addHelpText(
      'after',
      examples(
        'mneme chat import conversations.json --dry-run',
        'mneme chat import chat.jsonl --flush',
        'mneme chat import export.zip',
      ),
    )
    .action(importChat);
}

async function importChat(file: string, flags: ImportFlags): Promise<void> {
  const { dryRun = false, json = false } = flags;
  const found = await readChats(file, flags);
  const faults = new Faults(json);
  for (const { conversation, message } of found.faults)
    faults.add(conversation, new CommandFailure(message, { exitCode: INPUT_REFUSED }));
  let importedCount = 0;
  if (dryRun) await printFound(found, json);
  else if (found.chats.length > 0 || found.faults.length === 0) {
    importedCount = await withClient(flags, (mneme) => store(mneme, found, faults, flags));
  }
  faults.finish(importedCount);
}

/** Conversations and lines that were passed over. */
class Faults {
  readonly conversations: { readonly id: string; readonly message: string }[] = [];
  private readonly first: FirstFaults;

  constructor(json: boolean) {
    this.first = new FirstFaults({ json });
  }

  add(id: string, error: Error): void {
    this.conversations.push({ id, message: error.message });
    this.first.report(error);
  }

  /** Fails when anything was passed over. */
  finish(importedCount: number): void {
    const count = new Set(this.conversations.map(({ id }) => id)).size;
    if (count === 0) return;
    this.first.reportOthers('faults');
    const exitCode = importedCount > 0 ? PARTLY_DONE : INPUT_REFUSED;
    throw new CommandFailure(`${counted(count, 'conversation')} not imported`, { exitCode });
  }
}

interface Totals {
  storedCount: number;
  knownCount: number;
  replacedCount: number;
}

/** Returns the number of conversations that are stored now. */
async function store(mneme: Mneme, found: FoundChats, faults: Faults, flags: ImportFlags): Promise<number> {
  const totals: Totals = { storedCount: 0, knownCount: 0, replacedCount: 0 };
  const imported: FoundChat[] = [];
  const total = messagesOf(found.chats);
  const bar = progressBar('importing');
  let done = 0;
  const options = {
    replace: flags.replace === true,
    nowMs: Date.now(),
    onBatch: (count: number) => {
      done += count;
      bar.update(done, total, `${done} messages`);
    },
  };
  try {
    for (const chat of found.chats) {
      try {
        const synced = await syncChat(mneme, chat, options);
        for (const key of ['storedCount', 'knownCount', 'replacedCount'] as const) totals[key] += synced[key];
        imported.push(chat);
      } catch (error) {
        if (!isOfConversation(error)) throw error;
        bar.stop();
        faults.add(chat.id, error);
      }
    }
  } finally {
    bar.stop();
  }
  const flushed = flags.flush ? await flushAll(mneme, '') : undefined;
  await printImported({ found, imported, failed: faults.conversations }, { ...totals, flushed }, flags.json);
  return imported.length;
}

/** Whether an error is about one conversation, so that the others can be imported. */
function isOfConversation(error: unknown): error is Error {
  if (error instanceof CommandFailure) return true;
  return (
    error instanceof MnemeError &&
    ['INVALID_ARGUMENT', 'ALREADY_EXISTS', 'ABORTED', 'FAILED_PRECONDITION', 'OUT_OF_RANGE', 'DATA_LOSS'].includes(
      error.code,
    )
  );
}

function messagesOf(chats: readonly FoundChat[]): number {
  return chats.reduce((sum, { messages }) => sum + messages.length, 0);
}

interface Outcome {
  readonly found: FoundChats;
  readonly imported: readonly FoundChat[];
  readonly failed: readonly { readonly id: string; readonly message: string }[];
}

async function printImported(
  { found, imported, failed }: Outcome,
  { storedCount, knownCount, replacedCount, flushed }: Totals & { readonly flushed: FlushResult | undefined },
  json = false,
): Promise<void> {
  if (json) {
    await printJson({
      conversations: imported.map(summaryOf),
      storedCount,
      knownCount,
      ...(replacedCount > 0 && { replacedCount }),
      ...(failed.length > 0 && { failed }),
      ...leftOut(found),
      ...(flushed && { flushed }),
    });
  } else {
    const known = knownCount > 0 ? `, ${knownCount} stored before` : '';
    const replaced = replacedCount > 0 ? `, ${replacedCount} replaced or removed` : '';
    await print(
      `${counted(storedCount, 'message')} of ${counted(imported.length, 'conversation')} stored${known}${replaced}`,
    );
    await printLeftOut(found);
  }
  if (flushed) await reportFlush(flushed, json);
}

function summaryOf({ id, title, messages }: FoundChat): object {
  return { id, title, messageCount: messages.length };
}

/** Without a server: what the file has, and what of it is not read. */
async function printFound(found: FoundChats, json: boolean): Promise<void> {
  if (json) {
    const conversations = found.chats.map((chat) => ({ ...summaryOf(chat), ...spanOf(chat) }));
    await printJson({
      dryRun: true,
      formats: found.formats,
      conversations,
      messageCount: messagesOf(found.chats),
      ...leftOut(found),
    });
    return;
  }
  const total = counted(messagesOf(found.chats), 'message');
  await print(
    `${found.formats.join(', ')}: ${counted(found.chats.length, 'conversation')} with ${total}; nothing is stored`,
  );
  for (const chat of found.chats) {
    const { firstTime, lastTime } = spanOf(chat);
    const span = firstTime ? `${minute(firstTime)} to ${minute(lastTime ?? firstTime)}` : 'without times';
    const title = chat.title === '' || chat.title === chat.id ? '' : `  ${printable(chat.title)}`;
    await print(
      `${printable(chat.id)}${title}  ${paint('dim', `${counted(chat.messages.length, 'message')}, ${span}`)}`,
    );
  }
  await printLeftOut(found);
}

function spanOf({ messages }: FoundChat): {
  readonly firstTime?: Date;
  readonly lastTime?: Date;
  readonly untimedCount: number;
} {
  const times = messages.flatMap(({ eventTime }) => eventTime ?? []);
  const [firstTime, lastTime] = [times[0], times.at(-1)];
  return {
    firstTime,
    lastTime,
    untimedCount: messages.length - times.length,
  };
}

function minute(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ');
}

/** What of the file is not read, by kind; nothing where all is. */
function leftOut({ skipped, unreadKeys, otherFiles, notes }: FoundChats): object {
  return {
    ...(skipped.size > 0 && { skipped: Object.fromEntries(skipped) }),
    ...(unreadKeys.size > 0 && { unreadKeys: Object.fromEntries(unreadKeys) }),
    ...(otherFiles.length > 0 && { otherFiles }),
    ...(notes.length > 0 && { notes }),
  };
}

const NAMED_FILES_MAX = 5;

async function printLeftOut({ skipped, unreadKeys, otherFiles, notes }: FoundChats): Promise<void> {
  if (skipped.size > 0) {
    await print(`not read: ${[...skipped].map(([kind, count]) => counted(count, kind, manyOf(kind))).join(', ')}`);
  }
  if (unreadKeys.size > 0) {
    await print(`keys not read: ${[...unreadKeys].map(([key, count]) => `${printable(key)} (${count})`).join(', ')}`);
  }
  if (otherFiles.length > 0) {
    const named = otherFiles.slice(0, NAMED_FILES_MAX).map(printable).join(', ');
    const others = otherFiles.length > NAMED_FILES_MAX ? ' and others' : '';
    await print(`${counted(otherFiles.length, 'other file')} not read: ${named}${others}`);
  }
  for (const note of notes) await print(note);
}

/** Plural of a kind, such as `messages of another branch`. */
function manyOf(kind: string): string {
  const [first = kind, ...rest] = kind.split(/ (?=of |without )/);
  return [/thinking$|audio$|media$/.test(first) ? first : `${first}s`, ...rest].join(' ');
}
