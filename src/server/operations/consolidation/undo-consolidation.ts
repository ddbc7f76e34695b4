import type { Call } from '../../../memory/call.ts';
import { derivationOf } from '../../../memory/consolidation/derivation.ts';
import { type ReportRecord, reportOf } from '../../../memory/consolidation/report-record.ts';
import { MnemeError, memoryNotFound } from '../../../memory/errors.ts';
import type { Memory } from '../../../memory/memory.ts';
import type { NewMemory } from '../../../storage/records.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { scopeIsPrivate, type VisibilityRules } from '../visibility/visibility.ts';
import { asWritten, madeBy, storeAll } from './consolidate.ts';
import { reportMemory } from './derived-memories.ts';

export interface UndoneConsolidation {
  /** Memories that recall finds again. */
  readonly restoredIds: readonly string[];
  readonly deletedIds: readonly string[];
  /** Memories that the consolidation made and that were changed since: they stay. */
  readonly keptIds: readonly string[];
}

/** `store` has all memories; `visibilityRules` limit those that a caller may see. */
export interface UndoDeps extends MemoryDeps {
  readonly visibilityRules: VisibilityRules;
}

/** Restored in one write. */
const BATCH = 100;

/**
 * Takes back what a consolidation made: the memories that it hid are as they were, and the new memories are deleted after
 * that. The report remembers them, so that they are not made again. A call that is cut off is finished by repeating it.
 * Fails with SCOPE_PRIVATE before it changes anything where the caller may not see a memory that was made.
 */
export async function undoConsolidation(
  deps: UndoDeps,
  { namespace, id }: { readonly namespace: string; readonly id: string },
  call: Call,
): Promise<UndoneConsolidation> {
  const [stored] = await deps.store.get({ namespace, ids: [id], view: 'full', nowUs: deps.clock.nowUs() });
  const record = stored && reportOf(stored);
  if (!stored || !record) throw memoryNotFound(namespace, id);
  const made = await madeBy(deps, namespace, id);
  const { sees } = await deps.visibilityRules.of(namespace);
  const hidden = made.find(({ scope }) => !sees(scope));
  if (hidden) throw scopeIsPrivate(`namespaces/${namespace}/memories/${hidden.id}`);
  checkUnused(namespace, made);
  const undoneIds = [...new Set([...record.undoneIds, ...made.map((memory) => memory.id)])];
  const save = (state: ReportRecord['state']) => saveReport(deps, stored, { ...record, state, undoneIds }, call);
  await save('undoing');
  const restoredIds: string[] = [];
  for (const memory of made) restoredIds.push(...(await restoreHidden(deps, memory, call)));
  const keptIds = made.filter(isChanged).map((memory) => memory.id);
  const deletedIds = made.filter((memory) => !isChanged(memory)).map((memory) => memory.id);
  if (deletedIds.length > 0) {
    const atUs = deps.clock.nowUs();
    await deps.store.write({ kind: 'delete', namespace, ids: deletedIds, cause: 'deleted', mustExist: false, atUs });
  }
  await save('undone');
  return { restoredIds, deletedIds, keptIds };
}

function isChanged({ createdAtUs, updatedAtUs }: Memory): boolean {
  return updatedAtUs !== createdAtUs;
}

/** A memory that became a part of another one is undone after that one. */
function checkUnused(namespace: string, made: readonly Memory[]): void {
  const used = made.find(({ supersededBy }) => supersededBy !== undefined);
  if (!used) return;
  const name = `namespaces/${namespace}/memories/${used.id}`;
  throw new MnemeError(
    'MEMORY_SUPERSEDED',
    `${name} was superseded by ${used.supersededBy}: undo the consolidation that made that memory first`,
    { metadata: { name, superseded_by: `namespaces/${namespace}/memories/${used.supersededBy}` } },
  );
}

async function saveReport(deps: MemoryDeps, stored: Memory, record: ReportRecord, call: Call): Promise<void> {
  const { namespace, id, createdAtUs } = stored;
  const atUs = deps.clock.nowUs();
  await storeAll(deps, namespace, { memories: [reportMemory(id, record, { createdAtUs, atUs })], atUs }, call);
}

async function restoreHidden(deps: MemoryDeps, made: Memory, call: Call): Promise<string[]> {
  const { namespace } = made;
  const hidden = derivationOf(made)?.hidden ?? [];
  const restoredIds: string[] = [];
  for (let from = 0; from < hidden.length; from += BATCH) {
    call.signal.throwIfAborted();
    const batch = hidden.slice(from, from + BATCH);
    const atUs = deps.clock.nowUs();
    const ids = batch.map(({ id }) => id);
    const found = await deps.store.get({ namespace, ids, view: 'full', nowUs: atUs });
    const restored = found.flatMap((memory, at): { memory: NewMemory; revision: number }[] => {
      if (memory?.supersededBy !== made.id) return [];
      const { supersededBy: _, ...fields } = asWritten(memory);
      // Unless it was changed after it was hidden.
      const isAsHidden = memory.updatedAtUs === made.createdAtUs;
      const updatedAtUs = isAsHidden ? (batch[at]?.updatedAtUs ?? atUs) : atUs;
      return [{ memory: { ...fields, updatedAtUs }, revision: memory.revision }];
    });
    if (restored.length === 0) continue;
    const expectedRevisions = Object.fromEntries(restored.map(({ memory, revision }) => [memory.id, revision]));
    const memories = restored.map(({ memory }) => memory);
    await storeAll(deps, namespace, { memories, expectedRevisions, atUs }, call);
    restoredIds.push(...memories.map(({ id }) => id));
  }
  return restoredIds;
}
