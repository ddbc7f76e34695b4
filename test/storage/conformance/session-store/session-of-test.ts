import type { ErrorReason } from '../../../../src/memory/errors.ts';
import type { Content } from '../../../../src/memory/memory.ts';
import type { SessionLimits } from '../../../../src/memory/session.ts';
import type {
  OpResult,
  SessionOp,
  SessionOutcome,
  SessionStore,
  SessionWrite,
} from '../../../../src/storage/session-store.ts';

/** The store of the test that runs. */
export type StoreOfTest = () => SessionStore;

export const NOW_US = 1_800_000_000_000_000;
export const SECOND_US = 1_000_000;
export const HERE = { namespace: 'space', session: 'run-1' };

export const LIMITS: SessionLimits = {
  keysMax: 2000,
  valueBytesMax: 8_388_608,
  notesMax: 5000,
  noteBytesMax: 4_194_304,
  checkpointsMax: 20,
  checkpointBytesMax: 16_777_216,
  changesMax: 10_000,
};

const OF_NOBODY = { project: '', agentType: '', agent: '' };
const DRAFT = { ...OF_NOBODY, defaultTtlUs: 0, idleTtlUs: 0, mustBeNew: false, isSpawned: false };

export type WriteOptions = Partial<SessionWrite> & { readonly draft?: Partial<typeof DRAFT> };

/** Writes to the session of the tests, which is made when it is not there. */
export function write(
  store: SessionStore,
  ops: readonly SessionOp[],
  options: WriteOptions = {},
): Promise<SessionOutcome> {
  const { draft, ...rest } = options;
  return store.write({ ...HERE, create: { ...DRAFT, ...draft }, limits: LIMITS, atUs: NOW_US, ...rest, ops });
}

/** The result of a write of one operation. */
export async function act(store: SessionStore, op: SessionOp, options: WriteOptions = {}): Promise<OpResult> {
  const { results } = await write(store, [op], options);
  const [result] = results;
  if (!result) throw new Error('a write of one operation has no result');
  return result;
}

export function text(value: string): Content {
  return { mediaType: 'text/plain', data: new TextEncoder().encode(value) };
}

export function set(key: string, value: string, more: Partial<Extract<SessionOp, { kind: 'set' }>> = {}): SessionOp {
  return { kind: 'set', key, content: text(value), expiry: { kind: 'default' }, ...more };
}

export function checkpoint(id: string, more: object = {}): SessionOp {
  return { kind: 'checkpoint', id, description: '', cause: 'manual', memoryRevision: 0, ...more };
}

export function append(...values: readonly string[]): SessionOp {
  return { kind: 'append', contents: values.map(text) };
}

/** Keys with their values as text, of what has not expired. */
export async function valuesOf(
  store: SessionStore,
  { nowUs = NOW_US, pattern, key = HERE }: { nowUs?: number; pattern?: string; key?: typeof HERE } = {},
): Promise<Record<string, string>> {
  const read = { ...key, limit: 10_000, bytesMax: Number.MAX_SAFE_INTEGER, withValues: true, nowUs };
  const { entries } = await store.list({ ...read, pattern });
  return Object.fromEntries(entries.map((entry) => [entry.key, textOf(entry.content)]));
}

export async function notesOf(store: SessionStore, key = HERE): Promise<string[]> {
  const read = { ...key, order: 'oldest', limit: 100_000, bytesMax: Number.MAX_SAFE_INTEGER } as const;
  return (await store.notes(read)).notes.map(({ content }) => textOf(content));
}

export function textOf(content: Content | undefined): string {
  return content ? new TextDecoder().decode(content.data) : '';
}

/** What a failing call rejects with. */
export function because(reason: ErrorReason): { name: string; reason: ErrorReason } {
  return { name: 'MnemeError', reason };
}
