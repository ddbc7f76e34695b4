import { isChatGpt, readChatGpt } from './formats/chatgpt.ts';
import { isClaude, readClaude } from './formats/claude.ts';
import {
  isDiscordExport,
  isDiscordPackage,
  readDiscordExport,
  readDiscordPackage,
  rowsOfCsv,
} from './formats/discord.ts';
import { isMessages, readMessages } from './formats/json-messages.ts';
import { isSlack, readSlack } from './formats/slack.ts';
import { isTelegram, readTelegram } from './formats/telegram.ts';
import { type DateOrder, isWhatsApp, readWhatsApp } from './formats/whatsapp.ts';
import type { Findings } from './found-chat.ts';
import { objectIn } from './values.ts';

export const CHAT_FORMATS = ['json', 'chatgpt', 'claude', 'whatsapp', 'slack', 'discord', 'telegram'] as const;
export type ChatFormat = (typeof CHAT_FORMATS)[number];

export interface ReadOptions {
  /** Name of the file, for errors. */
  readonly name: string;
  /** Id of a conversation that has none. */
  readonly id: string;
  readonly format?: ChatFormat;
  readonly dateOrder?: DateOrder;
  readonly timeZone: string;
  /** Of a package of Discord, where the messages do not say it. */
  readonly channel?: { readonly id: string; readonly title: string };
}

/** Reads a text in the format that it has; returns the name of the format, or undefined where it has none that is read. */
export function readChatText(text: string, options: ReadOptions, findings: Findings): string | undefined {
  const start = text.trimStart();
  const isJson = start.startsWith('[') || start.startsWith('{');
  const is = (format: ChatFormat) => (options.format ?? format) === format;
  // A line of iOS begins with a bracket too.
  if (is('whatsapp') && isWhatsApp(text)) {
    const { dateOrder, timeZone } = options;
    readWhatsApp(text, options.id, findings, { dateOrder, timeZone });
    return 'export of WhatsApp';
  }
  if (is('discord') && /^"?ID"?,"?Timestamp"?,"?Contents"?/.test(start))
    return readValue(rowsOfCsv(start), options, findings);
  if (!isJson)
    return start.startsWith('"') || options.format === 'json' ? readLines(text, options, findings) : undefined;
  const whole = parsed(text);
  return whole.fault === undefined ? readValue(whole.value, options, findings) : readLines(text, options, findings);
}

function readValue(value: unknown, options: ReadOptions, findings: Findings): string | undefined {
  const items = Array.isArray(value) ? (value as unknown[]) : [value];
  const found = READERS.find(({ format, is }) => (options.format ?? format) === format && is(value, items));
  if (!found) return undefined;
  found.read(value, items, options, findings);
  return found.name;
}

interface Reader {
  readonly format: ChatFormat;
  readonly name: string;
  /** `items` are those of an array, or the value alone. */
  is(value: unknown, items: readonly unknown[]): boolean;
  read(value: unknown, items: readonly unknown[], options: ReadOptions, findings: Findings): void;
}

const READERS: readonly Reader[] = [
  {
    format: 'chatgpt',
    name: 'export of ChatGPT',
    is: (_, items) => items.some(isChatGpt),
    read: (_, items, { id }, findings) => {
      for (const [at, item] of items.filter(isChatGpt).entries()) readChatGpt(item, numbered(id, at), findings);
    },
  },
  {
    format: 'claude',
    name: 'export of Claude',
    is: (_, items) => items.some(isClaude),
    read: (_, items, { id }, findings) => {
      for (const [at, item] of items.filter(isClaude).entries()) readClaude(item, numbered(id, at), findings);
    },
  },
  {
    format: 'discord',
    name: 'export of Discord',
    is: (value) => isDiscordExport(value),
    read: (value, _, __, findings) => readDiscordExport(objectIn(value), findings),
  },
  {
    format: 'discord',
    name: 'package of Discord',
    is: (_, items) => isDiscordPackage(items),
    read: (_, items, { id, channel }, findings) => readDiscordPackage(items, channel ?? { id, title: '' }, findings),
  },
  {
    format: 'telegram',
    name: 'export of Telegram',
    is: (value) => isTelegram(value),
    read: (value, _, __, findings) => readTelegram(objectIn(value), findings),
  },
  {
    format: 'slack',
    name: 'export of Slack',
    is: (_, items) => isSlack(items),
    read: (_, items, { id }, findings) =>
      readSlack(items, { id, title: id, idIsOfFile: true, names: new Map() }, findings),
  },
  {
    format: 'json',
    name: 'messages as JSON',
    is: (value, items) => items.some(isMessages) || (Array.isArray(value) && items.length === 0),
    read: (value, items, { id, name }, findings) =>
      readMessages(
        items.map((item, at) => ({ value: item, place: Array.isArray(value) ? `${name}: [${at}]` : `${name}:1` })),
        id,
        findings,
      ),
  },
];

/** JSON lines of any of these formats. A line that is no JSON is named. */
function readLines(text: string, options: ReadOptions, findings: Findings): string | undefined {
  const lines: { value: unknown; place: string }[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const place = `${options.name}:${at + 1}`;
    const { value, fault } = parsed(line);
    if (fault === undefined) lines.push({ value, place });
    else findings.faults.push({ conversation: options.id, message: `${place}: not JSON: ${fault}` });
  }
  const values = lines.map(({ value }) => value);
  // Wrong lines alone are lines too; a text that only begins like JSON is none.
  if (values.length > 0 && !values.some(isMessages)) {
    const format = readValue(values, options, findings);
    if (format !== undefined) return format;
  }
  readMessages(lines, options.id, findings);
  return 'messages as JSON lines';
}

function parsed(text: string): { readonly value?: unknown; readonly fault?: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: error.message };
    throw error;
  }
}

/** Id of the conversation of a file that has no id of its own. */
function numbered(id: string, at: number): string {
  return at === 0 ? id : `${id}-${at + 1}`;
}
