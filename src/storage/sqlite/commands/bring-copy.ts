import type { Micros } from '../../../memory/memory.ts';
import { FULL_RESOLUTION } from '../../../memory/resolution/resolution.ts';
import { embeddingStateOf } from '../../embedding-state.ts';
import type { MemoryCopy } from '../../record-log.ts';
import type { Entry } from '../../rules/draft.ts';
import { formerStateOf } from '../../rules/former-state.ts';
import type { ChangeKind, LogSource } from '../change-log.ts';
import { eraseMemory, writeEntry } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import { loadWhole } from '../load-memories.ts';
import { readWholeRow, rowByKey } from '../memory-rows.ts';
import type { NamespaceRow } from '../namespace-rows.ts';
import { lacksBody } from '../queries/bodies.ts';
import { type Resized, repair, resized, writeResized } from '../resize-memory.ts';
import { rowKey } from '../schema.ts';

/** The namespace of a view whose copies a write changes. */
export interface CopiesOf {
  readonly changes: Changes;
  readonly namespace: NamespaceRow;
  /** Time of the entries that are made. */
  readonly atUs: Micros;
}

/** Appends an entry of a copy; without a source, one that exists in the log of the view only. */
export function appendOf(
  { changes, namespace, atUs }: CopiesOf,
  kind: ChangeKind,
  { id, sequence, ...rest }: { readonly id: string; readonly sequence: number } & Pick<LogEntry, 'step' | 'former'>,
  source: LogSource = {},
): void {
  const pk = rowKey(namespace.key, sequence);
  changes.log.append(kind, { namespaceKey: namespace.key, pk, id, atUs, ...rest, ...source });
}
type LogEntry = Parameters<Changes['log']['append']>[1];

/**
 * Brings a copy to a state of its memory, with an entry for it and for each state between. Returns false where the copy
 * has that state, or a later one, already.
 */
export function bringTo(
  of: CopiesOf,
  copy: MemoryCopy,
  { revision, isTorn = false }: { readonly revision: number; readonly isTorn?: boolean },
  sourceOf: (revision: number) => LogSource,
): boolean {
  const { changes, namespace } = of;
  const before = sameLife(of, copy, isTorn ? 0 : revision);
  const states = [...copy.past.map(({ memory }) => memory).reverse(), copy.memory].filter(
    (state) => state.revision <= revision && !(before && isHere(of, before, copy, state.revision)),
  );
  const last = states.at(-1);
  if (!last) return false;
  if (!before) makeRoom(of, copy);
  const { id } = copy.memory;
  const sequence = before?.sequence ?? copy.sequence;
  let former = before?.isDamaged ? undefined : before?.memory;
  for (const [at, state] of states.entries()) {
    const kind = before || at > 0 ? 'updated' : 'stored';
    const json = former && formerStateOf(former);
    appendOf(of, kind, { id, sequence, former: json }, sourceOf(state.revision));
    former = state;
  }
  writeEntry(changes, namespace, before, entryAt(copy, last, before));
  if (last !== copy.memory || (!before && !copy.resolution)) return true;
  const kind = resizeCopy(of, copy, sequence);
  if (kind !== 'moved') appendOf(of, kind, { id, sequence });
  return true;
}

/** Whether the copy has a state, with its body unless the memory has none either. */
function isHere(of: CopiesOf, before: Entry, copy: MemoryCopy, revision: number): boolean {
  const own = before.memory.revision;
  return own > revision || (own === revision && !(before.isDamaged && bringsBody(of, copy, before.sequence)));
}

/** Whether the memory has a body that its copy lacks, since the records had lost it for a while. */
function bringsBody({ changes, namespace }: CopiesOf, { memory, isDamaged }: MemoryCopy, sequence: number): boolean {
  if (isDamaged || lacksBody(memory)) return false;
  const row = readWholeRow(changes.database, rowKey(namespace.key, sequence));
  return row !== undefined && row.revision === memory.revision && lacksBody(row);
}

/** The copy at a state; the vector, the tier and the form are those of now, and arrive with the present state. */
function entryAt(copy: MemoryCopy, memory: MemoryCopy['memory'], before: Entry | undefined): Entry {
  const { tierSinceUs, notBeforeUs, embeddingPending } = copy;
  const common = { sequence: before?.sequence ?? copy.sequence, change: 'stored', past: [] } as const;
  if (memory === copy.memory) {
    const state = embeddingStateOf(memory.embedding, embeddingPending);
    return { ...common, memory, state, attempts: 0, notBeforeUs, tierSinceUs };
  }
  if (!before) return { ...common, memory, state: 'none', attempts: 0, notBeforeUs, tierSinceUs };
  const { embedding } = before.memory;
  return { ...before, ...common, memory: { ...memory, ...(embedding && { embedding }) } };
}

/** The copy, if it is of the same memory. A copy of an erased memory whose id a new memory has is erased. */
function sameLife(of: CopiesOf, { memory, past }: MemoryCopy, revision: number): Entry | undefined {
  const { changes, namespace } = of;
  const { id } = memory;
  const known = loadWhole(changes, namespace, id);
  if (!known) return undefined;
  const own = known.memory.revision;
  const isSame = [memory, ...past.map((state) => state.memory)].some((state) => state.revision === own);
  // States newer than the requested one are copied already.
  if (isSame || own > revision) return known;
  eraseMemory(changes, namespace.key, rowKey(namespace.key, known.sequence));
  appendOf(of, 'deleted', { id, sequence: known.sequence });
  return undefined;
}

/**
 * Copies keep the sequences of the memories, so that positions in lists are the same everywhere. A copy that has the
 * sequence is of a state that the records have lost, and is erased.
 */
function makeRoom(of: CopiesOf, { sequence }: MemoryCopy): void {
  const { changes, namespace } = of;
  const pk = rowKey(namespace.key, sequence);
  const lost = sequence < namespace.next_sequence ? rowByKey(changes.database).get({ pk }) : undefined;
  if (lost) {
    eraseMemory(changes, namespace.key, pk);
    appendOf(of, 'deleted', { id: lost.id, sequence });
  }
  changes.useSequence(namespace, sequence);
}

/** Brings what is not part of a state: tier, read statistics and, if asked, the vector. */
export function bringRest(
  { changes, namespace }: CopiesOf,
  before: Entry,
  copy: MemoryCopy,
  withVector: boolean,
): void {
  const { tier, retrievalCount, lastAccessedAtUs, embedding } = copy.memory;
  const { lastAccessedAtUs: _, ...kept } = before.memory;
  const memory = {
    ...kept,
    tier,
    retrievalCount,
    lastAccessedAtUs,
    ...(embedding && isLateVector(before, copy) && { embedding }),
  };
  const state = withVector && !copy.isDamaged ? stateOf(copy) : before.state;
  const { tierSinceUs, notBeforeUs } = copy;
  writeEntry(changes, namespace, before, { ...before, memory, state, tierSinceUs, notBeforeUs });
}

export function stateOf({ memory, embeddingPending }: MemoryCopy): Entry['state'] {
  return embeddingStateOf(memory.embedding, embeddingPending);
}

/** Whether the copy lacks the vector that the memory has. */
export function isLateVector(before: Entry, { memory, isDamaged }: MemoryCopy): boolean {
  return !isDamaged && memory.embedding !== undefined && before.state !== 'there';
}

/** Gives a copy the form of its memory, and the body that it lacks; returns the kind of log entry. */
export function resizeCopy(of: CopiesOf, copy: MemoryCopy, sequence: number): Resized['kind'] {
  if (copy.isDamaged) return 'moved';
  const { changes, namespace } = of;
  const { database } = changes;
  const resolution = copy.resolution ?? FULL_RESOLUTION;
  const form = resized(database, namespace, sequence, resolution);
  if (form) {
    writeResized(database, form);
    return form.kind;
  }
  if (!bringsBody(of, copy, sequence)) return repair(database, namespace, sequence, copy.memory, resolution);
  bringTo(of, copy, { revision: copy.memory.revision }, () => ({}));
  return 'moved';
}
