import type { Findings } from '../found-chat.ts';
import { MessageList } from '../message-list.ts';
import { branchTo, type Fields, idIn, isObject, listIn, objectIn, textIn } from '../values.ts';

const ROLES = new Set(['user', 'assistant', 'system', 'tool']);
const OTHER_BRANCH = 'message of another branch';

export function isChatGpt(item: unknown): item is Fields {
  return isObject(item) && isObject(item.mapping);
}

/** The branch of a conversation that was shown last, in an export of ChatGPT; messages of other branches are counted. */
export function readChatGpt(item: Fields, fallbackId: string, findings: Findings): void {
  const mapping = objectIn(item.mapping);
  const node = (id: string) => (Object.hasOwn(mapping, id) ? objectIn(mapping[id]) : undefined);
  const parentOf = (id: string) => {
    const found = node(id);
    return found && textIn(found.parent);
  };
  const current = textIn(item.current_node);
  const leaf = node(current)
    ? current
    : (Object.keys(mapping).findLast((id) => listIn(node(id)?.children).length === 0) ?? '');
  const branch = branchTo(leaf, parentOf);
  const list = new MessageList(findings);
  for (const id of branch) addMessage(objectIn(node(id)?.message), list, findings);
  const shown = new Set(branch);
  const others = Object.keys(mapping).filter((id) => !shown.has(id) && hasContent(objectIn(node(id)?.message)));
  findings.skip(OTHER_BRANCH, others.length);
  const id = textIn(item.conversation_id) || textIn(item.id);
  const { messages } = list;
  findings.add({ id: id || fallbackId, title: textIn(item.title), messages, idIsOfFile: id === '', isPart: false });
}

function hasContent(message: Fields): boolean {
  const probe = new MessageList({ skip: () => {} } as unknown as Findings);
  const shape = shapeOf(message);
  if (shape) probe.add(shape);
  return probe.messages.length > 0;
}

function addMessage(message: Fields, list: MessageList, findings: Findings): void {
  const shape = shapeOf(message);
  if (!shape) {
    if (textIn(objectIn(message.author).role) !== '') findings.skip('message of an unknown role');
    return;
  }
  list.add(shape);
  // Images are parts of the content too.
  const files = listIn(objectIn(message.metadata).attachments).filter((file) => !isImage(objectIn(file)));
  findings.skip('file', files.filter((file) => !textIn(objectIn(file).text)).length);
}

function shapeOf({ author, content: body, create_time: time, recipient, metadata }: Fields): Fields | undefined {
  const { role, name } = objectIn(author);
  if (typeof role !== 'string' || !ROLES.has(role)) return undefined;
  const fields = objectIn(body);
  const parts = Array.isArray(fields.parts) ? (fields.parts as unknown[]) : isObject(body) ? [fields] : [];
  const context = objectIn(objectIn(metadata).user_context_message_data);
  const said = [
    ...(textIn(recipient).startsWith('canmore.') ? parts.map(canvas).filter(isReadable) : parts),
    // The context is here where the content has none.
    ...(parts.length === 0 ? [context.about_user_message, context.about_model_message].filter(isReadable) : []),
    ...listIn(objectIn(metadata).attachments).flatMap((file) => textIn(objectIn(file).text) || []),
  ];
  return {
    role,
    content: role === 'tool' ? [{ type: 'tool_result', content: said }] : said,
    time,
    ...(typeof name === 'string' && { name }),
  };
}

function isReadable(part: unknown): boolean {
  return part !== '' && part !== undefined && part !== null;
}

/** A canvas is a call of a tool with the document as JSON; the user saw the document. */
function canvas(part: unknown): unknown {
  const text = typeof part === 'string' ? part : textIn(objectIn(part).text);
  if (!text.trimStart().startsWith('{')) return text;
  try {
    const { name, content } = objectIn(JSON.parse(text));
    return typeof content === 'string' ? [textIn(name), content].filter(isReadable).join('\n\n') : text;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function isImage(file: Fields): boolean {
  return /^image\//.test(idIn(file.mime_type) || idIn(file.mimeType));
}
