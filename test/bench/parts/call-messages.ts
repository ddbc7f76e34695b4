import {
  BatchStoreMemoriesRequest,
  GetMemoryRequest,
  ListMemoriesRequest,
  MemoryServiceService,
  StoreMemoryRequest,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { seededRandom } from '../../support/random.ts';
import { type Corpus, idOf, memoryOf, PARENT } from '../data/corpus.ts';
import { textSource } from '../data/texts.ts';
import type { Load } from '../load/closed-loop.ts';

export type Messages = Pick<Load, 'path' | 'messages' | 'countAt'>;

/** Placeholder in request ids for the count that makes them unique: 12 letters, see `Load.countAt`. */
const COUNT = '#'.repeat(12);
const REQUEST_ID = `6f1d2c3b-4a5e-4f60-8172-${COUNT}`;
const VARIANTS = 500;
const BATCH = 100;
const BATCH_VARIANTS = 40;
/** A text of so many words has about 1,000 bytes. */
const LONG_TEXT_WORDS = 168;

type Texts = Pick<Corpus, 'texts' | 'vectors'>;

export function getMessages(count: number): Messages {
  const step = Math.max(1, Math.floor(count / VARIANTS));
  const names = Array.from({ length: VARIANTS }, (_, i) => `${PARENT}/memories/${idOf((i * step) % count)}`);
  const messages = names.map((name) => GetMemoryRequest.encode(GetMemoryRequest.fromPartial({ name })).finish());
  return { path: MemoryServiceService.getMemory.path, messages };
}

export function listMessages(): Messages {
  const request = ListMemoriesRequest.fromPartial({ parent: PARENT, pageSize: 1 });
  return { path: MemoryServiceService.listMemories.path, messages: [ListMemoriesRequest.encode(request).finish()] };
}

/** A sentence with a state of some 700 bytes in JSON: 1 KB in all, as agents keep it. */
export function storeSentenceAndJson(corpus: Texts): Messages {
  return storeMessages((i) => ({
    ...memoryOf(corpus, i, false),
    content: { mediaType: 'application/json', body: { $case: 'data' as const, value: state(i) } },
  }));
}

/** A text of 1 KB, every word of which is searched. */
export function storeLongText(corpus: Texts): Messages {
  const texts = longTexts(VARIANTS);
  return storeMessages((i) => ({ ...memoryOf(corpus, i, false), text: texts[i] ?? '' }));
}

/** 1 KB of bytes without text, which are not searched. */
export function storeBytes(corpus: Texts): Messages {
  const content = {
    mediaType: 'application/octet-stream',
    body: { $case: 'data' as const, value: Buffer.alloc(900, 0x5a) },
  };
  return storeMessages((i) => ({ ...memoryOf(corpus, i, false), text: '', content }));
}

export function batchMessages(corpus: Texts, withVectors: boolean, texts = corpus.texts): Messages {
  const messages = Array.from({ length: BATCH_VARIANTS }, (_, variant) => {
    const requests = Array.from({ length: BATCH }, (_, i) => ({
      memory: memoryOf({ texts, vectors: corpus.vectors }, variant * BATCH + i, withVectors),
    }));
    return BatchStoreMemoriesRequest.encode(
      BatchStoreMemoriesRequest.fromPartial({ parent: PARENT, requests }),
    ).finish();
  });
  return { path: MemoryServiceService.batchStoreMemories.path, messages };
}

export function longTexts(count: number): string[] {
  const source = textSource(seededRandom('bench long texts', '1'));
  return Array.from({ length: count }, () => source.text(LONG_TEXT_WORDS));
}

function storeMessages(memory: (i: number) => StoreMemoryRequest['memory']): Messages {
  const messages = Array.from({ length: VARIANTS }, (_, i) =>
    StoreMemoryRequest.encode({ parent: PARENT, memory: memory(i), memoryId: '', requestId: REQUEST_ID }).finish(),
  );
  const countAt = messages.map((message) => Buffer.from(message).lastIndexOf(COUNT));
  return { path: MemoryServiceService.storeMemory.path, messages, countAt };
}

function state(i: number): Buffer {
  const inventory = Array.from({ length: 12 }, (_, slot) => ({ item: `item-${(i * 7 + slot) % 90}`, count: slot + 1 }));
  const goals = ['find the harbour', 'mend the sail', 'talk to the keeper'];
  const position = { x: i * 0.5, y: 100 - i * 0.25, heading: (i * 37) % 360 };
  const state = { mood: 'calm', energy: (i % 100) / 100, position, goals, inventory, weather: 'rain over the bay' };
  return Buffer.from(JSON.stringify(state));
}
