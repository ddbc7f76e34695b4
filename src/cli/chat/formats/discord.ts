import { messageTime } from '../../../../clients/typescript/src/index.ts';
import type { Findings } from '../found-chat.ts';
import { MessageList } from '../message-list.ts';
import { type Fields, idIn, isObject, listIn, objectIn, textIn } from '../values.ts';

/** A file of DiscordChatExporter. */
export function isDiscordExport(value: unknown): value is Fields {
  return isObject(value) && isObject(value.channel) && Array.isArray(value.messages);
}

export function readDiscordExport(value: Fields, findings: Findings): void {
  const list = new MessageList(findings);
  for (const message of listIn(value.messages).map(objectIn)) {
    const type = textIn(message.type);
    if (type === '' || type === 'Default' || type === 'Reply' || /Command$/.test(type)) list.add(shapeOf(message));
    else findings.skip('line of Discord itself');
  }
  const channel = objectIn(value.channel);
  const guild = textIn(objectIn(value.guild).name);
  const title = [guild, textIn(channel.name)].filter((name) => name !== '').join(' #');
  const id = idIn(channel.id);
  const { messages } = list;
  findings.add({ id: id || title, title, messages, idIsOfFile: id === '', isPart: true });
}

function shapeOf(message: Fields): Fields {
  const author = objectIn(message.author);
  const embeds = listIn(message.embeds).map((each) => {
    const { title, description, fields } = objectIn(each);
    const texts = listIn(fields).flatMap((field) => [objectIn(field).name, objectIn(field).value]);
    return {
      type: 'text',
      text: [title, description, ...texts]
        .map(textIn)
        .filter((text) => text !== '')
        .join('\n'),
    };
  });
  const files = listIn(message.attachments).map((file) => fileNamed(textIn(objectIn(file).fileName)));
  return {
    role: author.isBot === true ? 'assistant' : 'user',
    name: textIn(author.nickname) || textIn(author.name),
    time: message.timestamp,
    content: [
      { type: 'text', text: message.content },
      ...embeds,
      ...files,
      ...listIn(message.stickers).map(() => ({ type: 'sticker' })),
    ].filter(({ type, ...part }) => type !== 'text' || ('text' in part && textIn(part.text) !== '')),
  };
}

/** Messages of the package that Discord sends on request: those of the user alone. */
export function isDiscordPackage(items: readonly unknown[]): boolean {
  return (
    items.length > 0 && items.slice(0, 20).every((item) => isObject(item) && 'Contents' in item && 'Timestamp' in item)
  );
}

interface Channel {
  readonly id: string;
  readonly title: string;
}

export function readDiscordPackage(items: readonly unknown[], { id, title }: Channel, findings: Findings): void {
  const list = new MessageList(findings);
  const timeOf = (message: Fields) => messageTime(message.Timestamp)?.getTime() ?? 0;
  // The newest one is the first of the file.
  for (const message of items.map(objectIn).sort((a, b) => timeOf(a) - timeOf(b))) {
    const files = textIn(message.Attachments)
      .split(/\s+/)
      .filter((link) => link !== '');
    const text = textIn(message.Contents);
    const content = [...(text === '' ? [] : [{ type: 'text', text }]), ...files.map(fileNamed)];
    list.add({ role: 'user', time: message.Timestamp, content });
  }
  findings.add({ id, title, messages: list.messages, idIsOfFile: false, isPart: true });
}

function fileNamed(name: string): Fields {
  if (/\.(?:png|jpe?g|gif|webp|heic)(?:\?|$)/i.test(name)) return { type: 'image' };
  if (/\.(?:mp3|ogg|m4a|wav)(?:\?|$)/i.test(name)) return { type: 'audio' };
  return { type: /\.(?:mp4|mov|webm)(?:\?|$)/i.test(name) ? 'video' : 'file' };
}

/** Rows of a table with commas, by the names of its first line. */
export function rowsOfCsv(text: string): Fields[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [cell, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (cell === '' && row.length === 0) continue;
    row.push(quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  const [names = [], ...values] = rows;
  return values.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])));
}
