import { createHash } from 'node:crypto';
import { InvalidNamespaceError, type Item, type PutOperation } from '@langchain/langgraph-checkpoint';
import { badInput, jsonOf } from '../bad-input.ts';
import { Content, type Json } from '../content.ts';
import { cut } from '../cut.ts';
import { allOf, type Filter, where } from '../filter.ts';
import type { Memory, NewMemory } from '../memory.ts';
import { textsAtPaths } from './index-texts.ts';

/** Tag of an item without texts to search. */
export const UNINDEXED = 'langgraph-unindexed';
const ORIGIN = 'langgraph';
/** Text of an item that must not be searched: the server would derive one from the content. */
const NO_TEXT = '-';
const ADDRESS_BYTES = 1024;
const TEXT_BYTES = 65_536;

/**
 * The address of an item in `source.uri`: each label with a dot after it, a dot, the key. Labels have no dots and are not
 * empty, so that the first two dots in a row are the end of the namespace. It is the same in every language.
 */
function addressOf(namespace: readonly string[], key: string): string {
  if (typeof key !== 'string') throw badInput('key', 'must be a text');
  const text = `${prefixText(namespace)}.${escaped(key)}`;
  if (!text.isWellFormed()) throw badInput('key', 'and namespace must be valid Unicode, without lone surrogates');
  const size = Buffer.byteLength(text);
  if (size > ADDRESS_BYTES) {
    throw badInput('key', `and namespace must have at most ${ADDRESS_BYTES} bytes together, got ${size}`);
  }
  return text;
}

/** Id of the memory of an item. */
export function itemId(namespace: readonly string[], key: string): string {
  return `lg-${createHash('sha256').update(addressOf(namespace, key)).digest('hex')}`;
}

/** The items of a namespace and of all below it. */
export function itemsWithin(prefix: readonly string[]): Filter {
  const items = where.sourceOrigin.equals(ORIGIN);
  return prefix.length === 0 ? items : allOf(items, where.sourceUri.startsWith(prefixText(prefix)));
}

/** The memory of an item that is put. */
export function memoryOfItem(
  { namespace, key, value, index }: PutOperation,
  fields: readonly string[] | undefined,
  now: Date,
): NewMemory {
  checkNamespace(namespace);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badInput('value', 'must be an object');
  const text = textOf(value, index ?? fields);
  return {
    id: itemId(namespace, key),
    source: { origin: ORIGIN, uri: addressOf(namespace, key) },
    content: new Content('application/json', jsonOf(value, 'value')),
    tags: text === NO_TEXT ? [UNINDEXED] : [],
    eventTime: now,
    ...(text !== undefined && { text }),
  };
}

/** The item of a memory; `undefined` for a memory that is none. */
export function itemOfMemory(memory: Memory): Item | undefined {
  const place = placeOf(memory);
  const value = memory.content?.json();
  if (place === undefined || !isObject(value)) return undefined;
  const { createTime, eventTime } = memory;
  // The times are of two clocks: that of the server, and that of the program that put the item.
  return { ...place, value, createdAt: createTime, updatedAt: eventTime > createTime ? eventTime : createTime };
}

/** Namespace and key of an item; `undefined` for a memory that is none. */
export function placeOf({ source }: Memory): { namespace: string[]; key: string } | undefined {
  const address = source.uri ?? '';
  const end = address.indexOf('..');
  if (source.origin !== ORIGIN || end <= 0) return undefined;
  return { namespace: address.slice(0, end).split('.').map(unescaped), key: unescaped(address.slice(end + 2)) };
}

/** Text to search; `undefined` for that of the whole value. */
function textOf(value: object, paths: false | readonly string[] | undefined): string | undefined {
  if (paths === undefined) return undefined;
  if (paths === false) return NO_TEXT;
  if (!Array.isArray(paths)) throw badInput('index', 'must be false or a list of paths');
  if (paths.includes('$')) return undefined;
  const texts = textsAtPaths(value, paths).join('\n').toWellFormed().replaceAll('\0', ' ');
  return texts.trim() === '' ? NO_TEXT : cut(texts, TEXT_BYTES);
}

/** Refuses what LangGraph refuses in a put. */
function checkNamespace(namespace: unknown): void {
  if (!Array.isArray(namespace) || namespace.length === 0) {
    throw new InvalidNamespaceError('namespace: must be a list of 1 or more labels');
  }
  for (const label of namespace) {
    if (typeof label !== 'string' || label === '' || label.includes('.')) {
      const shown = typeof label === 'string' ? `'${label}'` : typeof label;
      throw new InvalidNamespaceError(`namespace: label ${shown} must be a text of 1 or more characters without '.'`);
    }
  }
  if (namespace[0] === ORIGIN) throw new InvalidNamespaceError(`namespace: the first label must not be '${ORIGIN}'`);
}

function prefixText(labels: readonly string[]): string {
  return labels.map((label) => `${escaped(label)}.`).join('');
}

function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the server takes none of them.
  return text.replace(/[\x00-\x1f\x7f%]/g, (found) => `%${found.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function unescaped(text: string): string {
  return text.replace(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function isObject(value: Json | undefined): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
