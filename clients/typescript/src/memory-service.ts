import { randomUUID } from 'node:crypto';
import {
  MemoryServiceService as methods,
  type WriteReceipt as ReceiptMessage,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { incompleteAnswer, integerOf } from './bad-input.ts';
import { batchesOf } from './batches.ts';
import type { Connection } from './connection.ts';
import { viewCode } from './enums.ts';
import { listCalls } from './list-calls.ts';
import type { MemoryCalls, WriteReceipt } from './memory-calls.ts';
import { messageOfChanges, messageOfMemory } from './memory-to-message.ts';
import { memoryOfMessage } from './message-to-memory.ts';
import { memoryName, namespaceName, partsOfName } from './names.ts';
import { dateOf, PreciseDate } from './precise-date.ts';
import { selectionCalls } from './selection-calls.ts';
import { memoryWith, refuseFields, splitOptions } from './stored-text.ts';

const BATCH = { count: 1000, bytes: 2_000_000 };

export function memoryService(connection: Connection, namespace: string): MemoryCalls {
  const parent = namespaceName(namespace);
  const receipt = (message: ReceiptMessage | undefined, revision: bigint) =>
    receiptOf(message, connection.seen(revision));

  return {
    ...listCalls(connection, namespace),
    ...selectionCalls(connection, namespace),
    ...storeCalls(connection, namespace),

    async get(id, { view, touch = false, focus = false, ...options } = {}) {
      const minRevision = connection.minRevision(options);
      const request = { name: memoryName(namespace, id), view: viewCode(view), touch, focus, minRevision };
      const answer = await connection.unary(methods.getMemory, request, options);
      connection.seen(answer.revision);
      return memoryOfMessage(answer.memory);
    },

    async batchGet(ids, { view, ...options } = {}) {
      const names = ids.map((id) => memoryName(namespace, id));
      const request = { parent, names, view: viewCode(view), minRevision: connection.minRevision(options) };
      const answer = await connection.unary(methods.batchGetMemories, request, options);
      return {
        memories: answer.memories.map(memoryOfMessage),
        missingIds: answer.missing.map((name) => partsOfName(name).id),
        damagedIds: answer.damaged.map((name) => partsOfName(name).id),
        revision: connection.seen(answer.revision),
      };
    },

    async update(id, changes, { requestId = randomUUID(), ifVersion, ...options } = {}) {
      const { memory, updateMask } = messageOfChanges(changes, namespace);
      const named = { ...memory, name: memoryName(namespace, id) };
      const request = { memory: named, updateMask, ifVersion: integerOf(ifVersion, 'ifVersion'), requestId };
      const answer = await connection.unary(methods.updateMemory, request, options);
      return receipt(answer.memory, answer.revision);
    },

    async supersede(id, memory, { requestId = randomUUID(), ifVersion, ...options } = {}) {
      const message = { ...messageOfMemory(memory, namespace), name: '' };
      const named = { name: memoryName(namespace, id), memory: message, memoryId: memory.id ?? '' };
      const request = { ...named, ifVersion: integerOf(ifVersion, 'ifVersion'), requestId };
      const {
        memory: stored,
        superseded,
        revision,
      } = await connection.unary(methods.supersedeMemory, request, options);
      return { ...receipt(stored, revision), superseded: receipt(superseded, revision) };
    },

    async setImportance(id, importance, { requestId = randomUUID(), ifVersion, ...options } = {}) {
      const request = {
        name: memoryName(namespace, id),
        importance,
        ifVersion: integerOf(ifVersion, 'ifVersion'),
        requestId,
      };
      const answer = await connection.unary(methods.setMemoryImportance, request, options);
      return receipt(answer.memory, answer.revision);
    },

    async delete(id, { requestId = randomUUID(), ifVersion, allowMissing = false, ...options } = {}) {
      const condition = { ifVersion: integerOf(ifVersion, 'ifVersion'), allowMissing };
      const request = { name: memoryName(namespace, id), ...condition, requestId };
      const answer = await connection.unary(methods.deleteMemory, request, options);
      return { revision: connection.seen(answer.revision) };
    },
  };
}

function storeCalls(
  connection: Connection,
  namespace: string,
): Pick<MemoryCalls, 'store' | 'storeMany' | 'batchStore'> {
  const parent = namespaceName(namespace);
  const receipt = (message: ReceiptMessage | undefined, revision: bigint) =>
    receiptOf(message, connection.seen(revision));
  return {
    async store(stored, { requestId = randomUUID(), ...all } = {}) {
      const { call: options, namespace: other, fields } = splitOptions(all);
      if (typeof stored !== 'string') refuseFields(fields);
      const memory = memoryWith(stored, fields);
      if (other !== undefined) return memoryService(connection, other).store(memory, { ...options, requestId });
      const message = messageOfMemory(memory, namespace);
      const request = { parent, memory: { ...message, name: '' }, memoryId: memory.id ?? '', requestId };
      const answer = await connection.unary(methods.storeMemory, request, options);
      return receipt(answer.memory, answer.revision);
    },

    async storeMany(memories, { requestId = randomUUID(), ...all } = {}) {
      const { call: options, namespace: other = namespace, fields } = splitOptions(all);
      const { batchStore } = memoryService(connection, other);
      const receipts: WriteReceipt[] = [];
      const whole = memories.map((memory) => memoryWith(memory, fields));
      for await (const batch of batchesOf(whole, BATCH)) {
        const id = receipts.length === 0 ? requestId : `${requestId}:${receipts.length}`;
        receipts.push(...(await batchStore(batch, { ...options, requestId: id })));
      }
      return receipts;
    },

    async batchStore(memories, { requestId = randomUUID(), ...options } = {}) {
      const requests = memories.map((memory) => ({
        parent: '',
        memory: { ...messageOfMemory(memory, namespace), name: '' },
        memoryId: memory.id ?? '',
        requestId: '',
      }));
      const answer = await connection.unary(methods.batchStoreMemories, { parent, requests, requestId }, options);
      if (answer.memories.length !== memories.length) throw incompleteAnswer('receipt for some of the memories');
      return answer.memories.map((written) => receipt(written, answer.revision));
    },
  };
}

export function receiptOf(message: ReceiptMessage | undefined, revision: number): WriteReceipt {
  if (message === undefined) throw incompleteAnswer('receipt');
  const { name, version, createTime, checksum, embeddingPending } = message;
  return {
    name,
    id: partsOfName(name).id,
    version: Number(version),
    createTime: createTime === undefined ? new PreciseDate(0) : dateOf(createTime),
    checksum,
    embeddingPending,
    revision,
  };
}
