import type { Findings } from '../found-chat.ts';
import { MessageList } from '../message-list.ts';
import { type Fields, idIn, isObject, listIn, objectIn, textIn } from '../values.ts';

/** `result.json` of Telegram Desktop: one chat, or all of them. */
export function isTelegram(value: unknown): value is Fields {
  return isObject(value) && (isChat(value) || isObject(value.chats));
}

function isChat(value: Fields): boolean {
  return (
    Array.isArray(value.messages) &&
    listIn(value.messages).some(
      (item) => 'date_unixtime' in objectIn(item) || 'from_id' in objectIn(item) || 'text_entities' in objectIn(item),
    )
  );
}

export function readTelegram(value: Fields, findings: Findings): void {
  const chats = [value.chats, value.left_chats].flatMap((each) => listIn(objectIn(each).list));
  for (const chat of Array.isArray(value.messages) ? [value] : chats.map(objectIn)) readChat(chat, findings);
}

function readChat(chat: Fields, findings: Findings): void {
  const list = new MessageList(findings);
  for (const message of listIn(chat.messages).map(objectIn)) {
    if (message.type === 'service') findings.skip('line of Telegram itself');
    else list.add(shapeOf(message));
  }
  const title = textIn(chat.name) || (chat.type === 'saved_messages' ? 'Saved Messages' : '');
  const id = idIn(chat.id);
  const { messages } = list;
  findings.add({ id: id === '' ? title : `telegram-${id}`, title, messages, idIsOfFile: id === '', isPart: true });
}

function shapeOf(message: Fields): Fields {
  const { question, answers } = objectIn(message.poll);
  const contact = objectIn(message.contact_information);
  const texts = [
    textOf(message.text),
    [question, ...listIn(answers).map((answer) => objectIn(answer).text)]
      .map(textOf)
      .filter((text) => text !== '')
      .join('\n'),
    [contact.first_name, contact.last_name, contact.phone_number]
      .map(textIn)
      .filter((text) => text !== '')
      .join(' '),
    textIn(message.place_name),
  ];
  const isCaptioned = texts.some((text) => text.trim() !== '');
  const media = kindOf(message);
  return {
    role: 'user',
    name: textIn(message.from) || idIn(message.from_id),
    time: message.date_unixtime ?? message.date,
    content: [
      ...texts.filter((text) => text !== '').map((text) => ({ type: 'text', text })),
      ...(media === undefined || (media === 'location' && isCaptioned) ? [] : [{ type: media }]),
    ],
  };
}

function kindOf(message: Fields): string | undefined {
  if (message.photo !== undefined) return 'image';
  if (message.media_type !== undefined) return textIn(message.media_type).replace('animation', 'video_animation');
  if (message.file !== undefined) return 'file';
  return message.location_information === undefined ? undefined : 'location';
}

/** A text, or texts with their formats. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return (value as unknown[]).map(textOf).join('');
  return typeof value === 'string' ? value : textIn(objectIn(value).text);
}
