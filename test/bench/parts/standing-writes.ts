import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryServiceService, StoreMemoryRequest } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { RawTransport } from '../load/raw-transport.ts';
import { namedText } from './standing-streams.ts';

export const PARENT = 'namespaces/default';
export const DIMENSION = 384;
const NOISE = 0.4;

export interface Write {
  readonly text: string;
  readonly request: Uint8Array;
}

/** Created before they are sent: that cost is not the server's. Each is near to one of the vectors. */
export function writesOf(vectors: readonly Float32Array[], name: string, count: number): Write[] {
  return Array.from({ length: count }, (_, write) => {
    const text = `${name}-${write}`;
    const near = nearTo(vectors[Math.floor(Math.random() * vectors.length)] ?? randomVector());
    return { text, request: storeRequest(near, text) };
  });
}

/** Resolves when the memory of this encoded StoreRequest is stored. */
export type Store = (request: Uint8Array) => Promise<void>;

export interface Pace {
  readonly store: Store;
  /** Time at which the event of each text arrived. */
  readonly arrivedMs: ReadonlyMap<string, number>;
  readonly perS: number;
}

/** Writes at the rate, and waits until each event has come. */
export async function writeAll({ store, arrivedMs, perS }: Pace, writes: readonly Write[]) {
  const startedMs = performance.now();
  const sentMs = new Map<string, number>();
  const acknowledgedMs = new Map<string, number>();
  const acknowledged: Promise<void>[] = [];
  for (const [write, { text, request }] of writes.entries()) {
    const waitMs = startedMs + (write * 1000) / perS - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const atMs = performance.now();
    sentMs.set(text, atMs);
    const stored = store(request).then(() => void acknowledgedMs.set(text, performance.now()));
    // A server without the CPU for so many refuses some: they have no events.
    acknowledged.push(stored.catch(() => void sentMs.delete(text)));
  }
  await Promise.all(acknowledged);
  const writtenS = (performance.now() - startedMs) / 1000;
  await allArrived([...sentMs.keys()], arrivedMs);
  return { sentMs, acknowledgedMs, writtenS };
}

/** Waits for the events of these texts, half a minute at most: memories of another load, whose places change, arrive again. */
export async function allArrived(texts: readonly string[], arrivedMs: ReadonlyMap<string, number>): Promise<void> {
  for (let waited = 0; waited < 300 && !texts.every((text) => arrivedMs.has(text)); waited++) await sleep(100);
}

/** Times from one instant of each text to the other, in ascending order; texts without the other are left out. */
export function timesBetween(fromMs: ReadonlyMap<string, number>, toMs: ReadonlyMap<string, number>): number[] {
  const times = [...fromMs].flatMap(([text, atMs]) => (toMs.has(text) ? [(toMs.get(text) ?? Number.NaN) - atMs] : []));
  return times.sort((a, b) => a - b);
}

export function storeRequest(values: Float32Array, name: string): Uint8Array {
  const memory = { text: namedText(name), embedding: embeddingOf(values) };
  return StoreMemoryRequest.encode(StoreMemoryRequest.fromPartial({ parent: PARENT, memory })).finish();
}

export function storeByCall(writer: RawTransport, request: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const onEnd = (isStored: boolean): void =>
      isStored ? resolve() : reject(new Error('the server has refused a memory'));
    writer.call(MemoryServiceService.storeMemory.path, request, onEnd);
  });
}

export function embeddingOf(values: Float32Array) {
  return { dataF32le: Buffer.from(values.buffer), dimension: DIMENSION, model: 'bench' };
}

export function randomVector(): Float32Array {
  const values = Float32Array.from({ length: DIMENSION }, () => Math.random() + Math.random() + Math.random() - 1.5);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

function nearTo(vector: Float32Array): Float32Array {
  const noise = randomVector();
  return vector.map((value, at) => value + NOISE * (noise[at] ?? 0));
}
