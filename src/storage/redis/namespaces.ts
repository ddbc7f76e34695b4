import { MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import { newNamespace } from '../changed-memory.ts';
import type { NamespaceWrite } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import { isExpired } from '../rules/memory-rules.ts';
import { idsOf } from './keyspace-log.ts';
import type { KeyspaceReader } from './keyspace-reader.ts';
import type { KeyspaceDraft } from './keyspace-state.ts';
import type { KeyspaceWriter } from './keyspace-writer.ts';
import type { RedisKeyspaces } from './redis-keyspaces.ts';

const ERASED_AT_ONCE = 200;

/** Creates the namespace in the draft. */
export function fill(draft: KeyspaceDraft, write: NamespaceWrite): void {
  if (draft.count > 0) throw new Leftovers();
  draft.isThere = true;
  draft.namespace = newNamespace(write, ++draft.revision);
}

/** A namespace is created while memories of a deleted namespace of its name are still there. */
class Leftovers extends Error {
  override readonly name = 'Leftovers';
}

/** A write that may create the namespace: waits until leftovers of a deleted namespace of its name are erased. */
export async function withoutLeftovers<O>(
  keyspaces: RedisKeyspaces,
  name: string,
  write: () => Promise<O>,
): Promise<O> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof Leftovers)) throw error;
    await eraseLeftovers(keyspaces, name);
    return write();
  }
}

/** The first step hides the namespace; later short steps erase its memories. */
export async function deleteNamespace(
  keyspaces: RedisKeyspaces,
  { name, force, atUs }: Parameters<HotStore['deleteNamespace']>[0],
): Promise<void> {
  if (!force && (await holdsLiving(keyspaces.reader(name), atUs))) {
    const full = `namespaces/${name}`;
    throw new MnemeError('NAMESPACE_NOT_EMPTY', `${full} still holds memories`, { metadata: { name: full } });
  }
  await keyspaces.writer(name).submit({
    ids: [],
    atUs,
    frees: true,
    run: (draft) => {
      draft.isThere = false;
      draft.deletion = force ? 'namespace_deleted' : 'namespace_emptied';
      draft.revision++;
      draft.handovers++;
    },
  });
  await eraseLeftovers(keyspaces, name);
}

async function holdsLiving(reader: KeyspaceReader, nowUs: Micros): Promise<boolean> {
  for await (const ids of idPages(reader)) {
    const { entries } = await reader.loadThere(ids, 'metadata');
    for (const { memory } of entries.values()) if (!isExpired(memory, nowUs)) return true;
  }
  return false;
}

/** Erases leftovers of a deleted namespace, also when the server that deleted it ended too early. */
export async function eraseLeftovers(keyspaces: RedisKeyspaces, name: string): Promise<void> {
  const [reader, writer] = [keyspaces.reader(name), keyspaces.writer(name)];
  for await (const ids of idPages(reader)) {
    await eraseSome(writer, ids, false);
    if ((await reader.load([])).state.namespace) return;
  }
  await eraseSome(writer, [], true);
}

/** `undefined` where the namespace exists again. */
function eraseSome(writer: KeyspaceWriter, ids: readonly string[], isLast: boolean): Promise<void> {
  return writer.submit({
    ids,
    atUs: 0,
    frees: true,
    createsKeyspace: true,
    run: (draft) => {
      if (draft.isThere) return;
      for (const id of ids) draft.entries.delete(id);
      draft.isEmptied = isLast;
    },
  });
}

async function* idPages(reader: KeyspaceReader): AsyncGenerator<readonly string[]> {
  let ids: string[] = [];
  for await (const id of idsOf(reader)) {
    if (ids.push(id) < ERASED_AT_ONCE) continue;
    yield ids;
    ids = [];
  }
  if (ids.length > 0) yield ids;
}
