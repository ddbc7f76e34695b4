import type { Content, Memory } from '../../memory/memory.ts';

/** How a former state of a memory is kept in the change log: all but its vector, bytes in base64. */
type FormerState = Omit<Memory, 'namespace' | 'embedding' | 'content'> & {
  readonly content?: { readonly mediaType: string; readonly data: string };
};

export function formerStateOf(memory: Memory): string {
  const { namespace: _, embedding: __, content, ...rest } = memory;
  const state: FormerState = content ? { ...rest, content: encoded(content) } : rest;
  return JSON.stringify(state);
}

export function memoryOfFormerState(namespace: string, json: string): Memory {
  const { content, ...rest } = JSON.parse(json) as FormerState;
  return { namespace, ...rest, ...(content && { content: decoded(content) }) };
}

function encoded({ mediaType, data }: Content): { mediaType: string; data: string } {
  return { mediaType, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64') };
}

function decoded({ mediaType, data }: { mediaType: string; data: string }): Content {
  return { mediaType, data: Buffer.from(data, 'base64') };
}
