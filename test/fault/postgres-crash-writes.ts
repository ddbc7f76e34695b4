import { checksumOf } from '../../src/memory/checksum.ts';
import { newMemory } from '../support/new-memory.ts';
import type { WholeStore } from '../support/whole-store.ts';

export const SPACE = 'space';
export const NOW_US = 1_800_000_000_000_000;

/** A write with a request id, and the expected text of each memory after it; `null`: there is none. */
export interface CrashWrite {
  readonly requestId: string;
  readonly kind: 'store' | 'update' | 'delete';
  readonly after: Readonly<Record<string, string | null>>;
}

type Writes = Pick<WholeStore, 'write'>;

const memoryOf = (id: string, text: string, at: number) =>
  newMemory({
    id,
    text,
    checksum: checksumOf(text),
    tags: [text],
    ...(at % 2 === 0 ? { embedding: { model: 'm', values: Float32Array.of(1, at + 1) } } : { embeddingPending: true }),
  });

/** May be repeated: the request id gives it one effect. */
export async function carryOut(store: Writes, { requestId, kind, after }: CrashWrite): Promise<void> {
  const common = { namespace: SPACE, atUs: NOW_US, idempotency: { requestId, fingerprint: requestId } };
  const states = Object.entries(after);
  if (kind === 'store') {
    const memories = states.map(([id, text], at) => memoryOf(id, text ?? '', at));
    await store.write({ kind: 'store', ...common, createNamespace: true, onConflict: 'fail', memories });
    return;
  }
  for (const [id, text] of states) {
    if (kind === 'delete' || text === null) {
      await store.write({ kind: 'delete', ...common, ids: [id], cause: 'deleted', mustExist: true });
    } else {
      const changes = { text, checksum: checksumOf(text), tags: [text], embeddingPending: true };
      await store.write({ kind: 'update', ...common, id, changes });
    }
  }
}

/** Text of each memory of the namespace. */
export async function textsIn(store: {
  allIds(namespace: string): AsyncIterable<string>;
  get: WholeStore['get'];
}): Promise<Map<string, string>> {
  const ids: string[] = [];
  for await (const id of store.allIds(SPACE)) ids.push(id);
  const memories = await store.get({ namespace: SPACE, ids, view: 'full', nowUs: NOW_US });
  return new Map(memories.flatMap((memory) => (memory ? [[memory.id, `${memory.text} ${memory.tags.join()}`]] : [])));
}

/** The form of `textsIn`. */
export function expectedTexts(states: ReadonlyMap<string, string | null>): Map<string, string> {
  return new Map([...states].flatMap(([id, text]) => (text === null ? [] : [[id, `${text} ${text}`]])));
}
