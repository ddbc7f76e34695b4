import type { TimedMessage } from '../../../clients/typescript/src/index.ts';

/** A conversation of a file. */
export interface FoundChat {
  readonly id: string;
  readonly title: string;
  /** In order. A message without a time has none that can be read. */
  readonly messages: readonly TimedMessage[];
  /** Whether the id is the name of the file or was typed, so that another conversation may have it by accident. */
  readonly idIsOfFile: boolean;
  /** Whether the file may have a part of the conversation only, as the days of a channel: what lies outside of its times stays. */
  readonly isPart: boolean;
}

/** What is wrong with a conversation, which is therefore passed over, or with a line that belongs to none. */
export interface ChatFault {
  readonly conversation: string;
  /** With its place. */
  readonly message: string;
}

export interface FoundChats {
  readonly chats: readonly FoundChat[];
  readonly faults: readonly ChatFault[];
  /** Formats that were found, such as `export of ChatGPT`. */
  readonly formats: readonly string[];
  /** Numbers of the parts that cannot be read, by kind. */
  readonly skipped: ReadonlyMap<string, number>;
  /** Numbers of the messages with a key that is not read, by key. */
  readonly unreadKeys: ReadonlyMap<string, number>;
  /** Names of files that were passed over. */
  readonly otherFiles: readonly string[];
  /** Notes on how the file was read. */
  readonly notes: readonly string[];
}

/** Counts what is left out while files are read. */
export class Findings {
  readonly chats: FoundChat[] = [];
  readonly faults: ChatFault[] = [];
  readonly formats = new Set<string>();
  readonly skipped = new Map<string, number>();
  readonly unreadKeys = new Map<string, number>();
  readonly otherFiles: string[] = [];
  readonly notes = new Set<string>();

  skip(kind: string, count = 1): void {
    if (count > 0) this.skipped.set(kind, (this.skipped.get(kind) ?? 0) + count);
  }

  leaveKey(key: string): void {
    this.unreadKeys.set(key, (this.unreadKeys.get(key) ?? 0) + 1);
  }

  /** Adds a conversation; two of the file with one id are never joined. */
  add(chat: FoundChat): void {
    const id = shortId(chat.id);
    if (chat.messages.length === 0) return;
    const same = this.chats.find((other) => other.id === id);
    if (!same) this.chats.push({ ...chat, id });
    else if (JSON.stringify(same.messages) !== JSON.stringify(chat.messages)) {
      this.faults.push({ conversation: id, message: `${id}: another conversation of the file has this id too` });
    }
  }

  found(): FoundChats {
    return { ...this, formats: [...this.formats], notes: [...this.notes] };
  }
}

const ID_BYTES_MAX = 128;

/** Ids are names of files and titles too: control characters are left out, and the end of a long one. */
function shortId(id: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
  let short = id.replace(/[\u0000-\u001f\u007f\u200e\u200f]/g, '').trim();
  while (Buffer.byteLength(short) > ID_BYTES_MAX) short = short.slice(0, -1);
  return short.toWellFormed() || 'chat';
}
