import type { Micros } from '../../memory/memory.ts';
import { type Entry, entriesOfDraft } from '../rules/draft.ts';
import { formerStateOf, replacedVector } from '../rules/former-state.ts';
import { NO_NAMESPACE, PartialDraft } from '../rules/partial-draft.ts';
import { readPolicies } from './agents/policy-rows.ts';
import { hasSnapshots } from './agents/snapshot-rows.ts';
import { writeEntry } from './change-memory.ts';
import type { Changes } from './changes.ts';
import type { Load } from './load-memories.ts';
import type { NamespaceRow } from './namespace-rows.ts';
import { type Resized, writeResized } from './resize-memory.ts';
import { rowKey } from './schema.ts';

/** A write of memories of one namespace by a rule. */
export interface DraftWrite<O> {
  /** Ids of the memories that it concerns. */
  readonly ids: readonly string[];
  readonly load: Load;
  readonly run: (draft: PartialDraft) => O;
  /** The forms of the memories that it moves. */
  readonly resized?: ReadonlyMap<string, Resized>;
  readonly atUs: Micros;
}

/** Loads the memories, runs the rule on a draft with them, and writes the difference and its log entries. */
export function writeByDraft<O>(changes: Changes, namespace: NamespaceRow, write: DraftWrite<O>): O {
  const entries = new Map<string, Entry>();
  for (const id of write.ids) {
    const entry = write.load(changes, namespace, id);
    if (entry) entries.set(id, entry);
  }
  const draft = draftOf(changes, namespace, entries);
  const outcome = write.run(draft);
  draft.checkWhole(write.ids, entries);
  writeDraft(changes, namespace, draft, write);
  return outcome;
}

function draftOf(changes: Changes, row: NamespaceRow, entries: ReadonlyMap<string, Entry>): PartialDraft {
  const { name, memory_limit: memoryLimit, embedding_model, embedding_dimension, next_sequence: nextSequence } = row;
  const vectors = { embeddingModel: embedding_model, embeddingDimension: embedding_dimension };
  const namespace = { ...NO_NAMESPACE, name, memoryLimit, ...vectors, revision: row.revision };
  // Without a limit, nothing asks for the count.
  const count = memoryLimit > 0 ? changes.counts.of(row.key) : entries.size;
  const policies = readPolicies(changes.database, row.key);
  return new PartialDraft(name, { namespace, entries, nextSequence, count, policies }, changes.log.revision);
}

function writeDraft(
  changes: Changes,
  namespace: NamespaceRow,
  draft: PartialDraft,
  { resized, atUs }: Pick<DraftWrite<unknown>, 'resized' | 'atUs'>,
): void {
  const { before, entries } = draft;
  const loggedIds: string[] = [];
  for (const id of idsOf(draft)) {
    const [former, present] = [before.get(id), entries.get(id)];
    if (former === present) continue;
    writeEntry(changes, namespace, former, present);
    const form = resized?.get(id);
    if (form) writeResized(changes.database, form);
    if (!isUnlogged(former, present)) loggedIds.push(id);
  }
  changes.useSequence(namespace, draft.nextSequence - 1);
  for (const { id, kind, revision, step } of entriesOfDraft(draft, loggedIds)) {
    const [former, present] = [before.get(id), entries.get(id)];
    const of = kind === 'deleted' || kind === 'expired' ? former : present;
    if (!of) throw new Error(`an entry of the log has no memory ${id}`);
    changes.log.append(kind === 'moved' ? (resized?.get(id)?.kind ?? kind) : kind, {
      namespaceKey: namespace.key,
      pk: rowKey(namespace.key, of.sequence),
      id,
      atUs,
      step,
      ...(kind === 'updated' && { former: formerState(changes, namespace, former, of, revision) }),
    });
  }
}

function idsOf({ before, entries }: PartialDraft): Iterable<string> {
  return before.size === 0 ? entries.keys() : new Set([...entries.keys(), ...before.keys()]);
}

/** Whether a vector is awaited no more: indexes read new vectors from the log, and a shorter queue does not concern them. */
function isUnlogged(before: Entry | undefined, after: Entry | undefined): boolean {
  return before?.state === 'pending' && after?.state === 'none' && before.memory === after.memory;
}

/** The state before the one of the revision, which the log keeps; `undefined` where it is dropped. */
function formerState(
  { database }: Changes,
  { key }: NamespaceRow,
  loaded: Entry | undefined,
  present: Entry,
  revision: number,
): string | undefined {
  const states = [present.memory, ...present.past.map(({ memory }) => memory)];
  const at = states.findIndex((state) => state.revision === revision) + 1;
  const former = at > 0 ? states[at] : undefined;
  if (!former) return undefined;
  // The oldest one is the loaded state.
  const vector = loaded && at === present.past.length ? replacedVector(loaded, present) : undefined;
  return formerStateOf(former, vector !== undefined && hasSnapshots(database, key) ? vector : undefined);
}
