import type { Findings } from '../found-chat.ts';
import { MessageList } from '../message-list.ts';
import { type Fields, isObject, listIn, objectIn, textIn } from '../values.ts';

/** Whether an array has messages of a channel of Slack. */
export function isSlack(items: readonly unknown[]): boolean {
  return items.length > 0 && items.slice(0, 20).every((item) => isObject(item) && /^\d+\.\d+$/.test(textIn(item.ts)));
}

/** Names of people by id, from `users.json`. */
export function slackNames(users: unknown): ReadonlyMap<string, string> {
  return new Map(listIn(users).map((user) => [textIn(objectIn(user).id), nameOfUser(objectIn(user))]));
}

function nameOfUser(user: Fields): string {
  const profile = objectIn(user.profile);
  const names = [profile.display_name, profile.real_name, user.real_name, user.name, user.display_name];
  return names.map(textIn).find((name) => name !== '') ?? textIn(user.id);
}

interface Channel {
  readonly id: string;
  readonly title: string;
  readonly idIsOfFile: boolean;
  readonly names: ReadonlyMap<string, string>;
}

/** Messages of a channel, of any number of its days, in order of time. */
export function readSlack(items: readonly unknown[], channel: Channel, findings: Findings): void {
  const { id, title, idIsOfFile, names } = channel;
  const list = new MessageList(findings);
  const messages = items.map(objectIn).sort((a, b) => Number(a.ts) - Number(b.ts));
  for (const message of messages) {
    if (
      /^(?:channel|group|bot)_|^(?:pinned_item|reminder_add|tombstone)$/.test(textIn(message.subtype)) &&
      message.subtype !== 'bot_message'
    ) {
      findings.skip('line of Slack itself');
    } else list.add(shapeOf(message, names));
  }
  findings.add({ id, title, messages: list.messages, idIsOfFile, isPart: true });
}

function shapeOf(message: Fields, names: ReadonlyMap<string, string>): Fields {
  const isBot = message.subtype === 'bot_message' || (textIn(message.bot_id) !== '' && textIn(message.user) === '');
  const profile = message.user_profile === undefined ? '' : nameOfUser(objectIn(message.user_profile));
  const name = names.get(textIn(message.user)) ?? (profile || textIn(message.username) || textIn(message.user));
  const text = textIn(message.text) || textOfBlocks(message.blocks);
  const attached = listIn(message.attachments).map((each) => textOfAttachment(objectIn(each)));
  const files = listIn(message.files).map((file) => fileOf(objectIn(file)));
  return {
    role: isBot ? 'assistant' : 'user',
    name,
    time: message.ts,
    content: [...[text, ...attached].map((each) => ({ type: 'text', text: plain(each, names) })), ...files],
  };
}

function textOfAttachment(each: Fields): string {
  const fields = listIn(each.fields).map(
    (field) => `${textIn(objectIn(field).title)}: ${textIn(objectIn(field).value)}`,
  );
  const texts = [each.pretext, each.title, each.text]
    .map(textIn)
    .concat(fields)
    .filter((text) => text !== '');
  return texts.length > 0 ? texts.join('\n') : textIn(each.fallback);
}

/** Texts of layout blocks, where a message has no text of its own. */
function textOfBlocks(blocks: unknown): string {
  if (typeof blocks === 'string') return blocks;
  if (Array.isArray(blocks)) return (blocks as unknown[]).map(textOfBlocks).join('');
  const { text, elements, fields } = objectIn(blocks);
  return [text, elements, fields].map(textOfBlocks).join('');
}

function fileOf(file: Fields): Fields {
  const text = textIn(file.plain_text) || textIn(file.preview_plain_text) || textIn(file.preview);
  const transcript = textIn(objectIn(objectIn(file.transcription).preview).content);
  return { type: textIn(file.mimetype) || 'file', text: [text, transcript].filter((each) => each !== '').join('\n') };
}

/** The markup of Slack as text: names in place of ids, labels in place of links. */
function plain(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replace(/<@([A-Z0-9]+)(?:\|([^>]*))?>/g, (_, id: string, label?: string) => `@${names.get(id) ?? label ?? id}`)
    .replace(/<#[A-Z0-9]+\|([^>]*)>/g, '#$1')
    .replace(/<!([a-z]+)[^>]*>/g, '@$1')
    .replace(/<((?:https?|mailto):[^|>]+)\|([^>]+)>/g, (_, link: string, label: string) =>
      link.endsWith(label) ? label : `${label} (${link})`,
    )
    .replace(/<((?:https?|mailto):[^>]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
