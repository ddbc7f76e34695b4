import { randomUUID } from 'node:crypto';
import { MemoryView } from '../../../../gen/ts/mneme/v1/memory.ts';
import { GetMemoryRequest, StoreMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { type AskOptions, ask } from './ask.ts';
import type { Clients, TestServer } from './test-server.ts';

export type MemoryInput = Parameters<typeof StoreMemoryRequest.fromPartial>[0]['memory'];

export const vector = (...values: number[]) => ({
  dataF32le: Buffer.from(Float32Array.from(values).buffer),
  dimension: values.length,
  model: 'm',
});

export const json = (value: unknown) => ({
  mediaType: 'application/json',
  body: { $case: 'json' as const, value: JSON.stringify(value) },
});

/** A namespace that no other test uses. */
export const freshNamespace = () => `namespaces/t-${randomUUID()}`;

/** Stores a memory and returns its receipt. */
export async function store(
  { memories }: Clients,
  parent: string,
  memory: MemoryInput,
  memoryId = '',
  options: AskOptions = {},
) {
  const request = StoreMemoryRequest.fromPartial({ parent, memory, memoryId });
  const { memory: receipt, revision } = await ask(memories, memories.storeMemory, request, options);
  if (!receipt) throw new Error('no receipt');
  return { ...receipt, revision };
}

/** Reads a memory in full. */
export async function get({ memories }: Clients, name: string, view: MemoryView = MemoryView.MEMORY_VIEW_FULL) {
  const { memory } = await ask(memories, memories.getMemory, GetMemoryRequest.fromPartial({ name, view }));
  if (!memory) throw new Error('no memory');
  return memory;
}

/** Lets a memory expire: no request may name a time that has passed. */
export async function expire({ storage }: Pick<TestServer, 'storage'>, name: string): Promise<void> {
  const [, namespace = '', , id = ''] = name.split('/');
  const atUs = Date.now() * 1000;
  await storage.store.write({ kind: 'update', namespace, id, changes: { expiresAtUs: 1 }, atUs });
}
