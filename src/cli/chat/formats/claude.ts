import type { Findings } from '../found-chat.ts';
import { MessageList } from '../message-list.ts';
import { branchTo, type Fields, isObject, listIn, objectIn, textIn } from '../values.ts';

export function isClaude(item: unknown): item is Fields {
  return isObject(item) && Array.isArray(item.chat_messages);
}

/** A conversation of an export of Claude. Where messages were edited or made anew, the branch with the last one. */
export function readClaude(item: Fields, fallbackId: string, findings: Findings): void {
  const all = listIn(item.chat_messages).map(objectIn);
  const shown = shownOf(all, textIn(item.current_leaf_message_uuid));
  findings.skip('message of another branch', all.length - shown.length);
  const list = new MessageList(findings);
  for (const message of shown) list.add(shapeOf(message));
  const id = textIn(item.uuid);
  const { messages } = list;
  findings.add({ id: id || fallbackId, title: textIn(item.name), messages, idIsOfFile: id === '', isPart: false });
}

function shownOf(all: readonly Fields[], leaf: string): readonly Fields[] {
  const byId = new Map(all.map((message) => [textIn(message.uuid), message]));
  const parents = all.map((message) => textIn(message.parent_message_uuid));
  const isTree = byId.size === all.length && parents.some((parent) => byId.has(parent));
  if (!isTree) return all;
  const last = leaf !== '' && byId.has(leaf) ? leaf : textIn(all.at(-1)?.uuid);
  const ids = branchTo(last, (id) => {
    const message = byId.get(id);
    return message && textIn(message.parent_message_uuid);
  });
  return ids.map((id) => byId.get(id)).filter((message) => message !== undefined);
}

function shapeOf({ sender, text, content, created_at: time, attachments, files, files_v2: files2 }: Fields): Fields {
  const blocks = listIn(content).flatMap((block) => partsOf(objectIn(block)));
  const hasText = blocks.some((block) => textIn(block.text).trim() !== '');
  return {
    role: sender === 'assistant' ? 'assistant' : 'user',
    // The text repeats the blocks, with placeholders for those that it cannot show.
    content: hasText || textIn(text) === '' ? blocks : [...blocks, { type: 'text', text }],
    time,
    attachments,
    files: listIn(files).length > 0 ? files : files2,
  };
}

/** An artifact is a call of a tool with the document; the user saw the document. */
function partsOf(block: Fields): Fields[] {
  const { title, content } = objectIn(block.input);
  const isDocument = block.type === 'tool_use' && typeof content === 'string' && content.length > 0;
  return isDocument
    ? [{ type: 'text', text: [textIn(title), content].filter((text) => text !== '').join('\n\n') }]
    : [block];
}
