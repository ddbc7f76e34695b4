import type { LoggedRecords, MemoryCopy, RecordChanges, RecordPosition } from '../record-log.ts';
import type { Namespace } from '../records.ts';
import type { ReembeddedVector, ReembeddingText } from '../reembedding-store.ts';
import type { InTurn, ViewedOptions } from './viewed-options.ts';

const IDS_AT_ONCE = 1000;
/** An instant before any expiry. */
const ALWAYS = 0;

/**
 * Brings a view to the first entry of a cut log, by copies of the memories that the remaining entries do not make, and
 * returns its position there. Until all of it is done the position stays, so that it is repeated when the process ends.
 */
export async function copyNamespace(
  options: ViewedOptions,
  name: string,
  since: RecordPosition | undefined,
  { epoch, cut = 0 }: Pick<RecordChanges, 'epoch' | 'cut'>,
  inTurn: InTurn,
): Promise<RecordPosition> {
  const { records, view, clock } = options;
  const former = { epoch, position: since?.epoch === epoch ? since.position : '0' };
  const write = { namespace: name, entries: [], memories: [], revision: 0 };
  const gapFrom = Number(former.position) + 1;
  // Readers of a view that never had the namespace have missed nothing.
  if (gapFrom > 1 || (!since && (await view.copies.hadNamespace(name))))
    await view.copies.apply({ ...write, ...former, gapFrom, atUs: clock.nowUs() });
  const ids = new Set<string>();
  let some: string[] = [];
  const copy = async (): Promise<void> => {
    const batches = await sizedBatches(records, name, some);
    some = [];
    for (const batch of batches) {
      await inTurn(async () => {
        const copies = await records.copies({ namespace: name, ids: batch });
        const memories = copies.flatMap((one) => stateAt(one, cut) ?? []);
        if (memories.length > 0) await view.copies.apply({ ...write, ...former, memories, atUs: clock.nowUs() });
      });
    }
  };
  for await (const id of records.allIds(name)) {
    ids.add(id);
    if (some.push(id) === SIZED_AT_ONCE) await copy();
  }
  if (some.length > 0) await copy();
  const position = { epoch, position: String(cut) };
  const entries = (await erasedBefore(options, name, ids, cut)).map((id) => ({
    id,
    kind: 'deleted' as const,
    revision: cut,
  }));
  await view.copies.apply({ ...write, ...position, entries, completeFrom: cut, atUs: clock.nowUs() });
  return position;
}

/**
 * The copy at the cut, so that the view stores memories in the order of the records; entries after it bring the rest.
 * `undefined` for a memory that is stored after it.
 */
function stateAt(copy: MemoryCopy, cut: number): MemoryCopy | undefined {
  if (copy.memory.revision <= cut) return copy;
  const at = copy.past.findIndex(({ memory }) => memory.revision <= cut);
  const state = copy.past[at];
  const { isDamaged: _, ...rest } = copy;
  return state && { ...rest, memory: state.memory, past: copy.past.slice(at + 1), embeddingPending: false };
}

/** Ids in the view of memories that were erased by entries that are missing. */
async function erasedBefore(
  { records, view }: ViewedOptions,
  namespace: string,
  present: ReadonlySet<string>,
  cut: number,
): Promise<string[]> {
  const absent: string[] = [];
  const read = { namespace, order: 'create_time_asc', limit: IDS_AT_ONCE, view: 'metadata', nowUs: ALWAYS } as const;
  for (let after: Awaited<ReturnType<typeof view.list>>['next'] | undefined; ; ) {
    const page = await view.list({ ...read, bytesMax: Number.MAX_SAFE_INTEGER, after });
    const ids = [...page.memories.map(({ id }) => id), ...(page.damagedIds ?? [])];
    absent.push(...ids.filter((id) => !present.has(id)));
    after = page.next;
    if (!after) break;
  }
  if (absent.length === 0) return absent;
  // The others are erased by entries that are still there, with their revisions.
  const logged = new Set(await records.loggedIds({ namespace, ids: absent, afterRevision: cut }));
  return absent.filter((id) => !logged.has(id));
}

/** Complete memories that are in memory and in one transaction of the view at a time. */
const COUNT_MAX = 500;
const BYTES_MAX = 16_777_216;

/** Number of ids whose sizes are asked for together. */
const SIZED_AT_ONCE = COUNT_MAX;

/** Splits ids, in their order, into batches of about 16 MB of complete memories. A larger memory is a batch of its own. */
export async function sizedBatches(
  records: Pick<LoggedRecords, 'sizes'>,
  namespace: string,
  ids: readonly string[],
  bytesMax = BYTES_MAX,
): Promise<string[][]> {
  const sizes = await records.sizes({ namespace, ids });
  const batches: string[][] = [];
  let batch: string[] = [];
  let bytes = 0;
  for (const id of ids) {
    const size = sizes.get(id) ?? 0;
    if (batch.length > 0 && (batch.length === COUNT_MAX || bytes + size > bytesMax)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(id);
    bytes += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** Memories whose vectors are replaced together. */
const AT_ONCE = 64;

/**
 * Replaces the vectors of a view by those of the records, in a second space: they come into use all at once. Texts that
 * have changed since get theirs with the entries of their changes.
 */
export async function replaceVectors(
  options: ViewedOptions,
  { name: namespace, embeddingModel, embeddingDimension: dimension }: Namespace,
  inTurn: InTurn,
): Promise<void> {
  const { view, clock } = options;
  // Without any vector, a namespace has no model.
  const model = embeddingModel === '' ? 'none' : embeddingModel;
  const { reembedding } = view;
  if (!(await reembedding.beginReembedding({ namespace, model, dimension, atUs: clock.nowUs() }))) return;
  for (let isDone = false; !isDone; ) {
    isDone = await inTurn(async () => {
      const texts = await reembedding.reembeddingBatch({ namespace, limit: AT_ONCE });
      if (texts.length === 0) return reembedding.finishReembedding({ namespace, model, atUs: clock.nowUs() });
      const vectors = await vectorsOf(options, namespace, texts, dimension);
      await reembedding.setReembedded({ namespace, model, vectors });
      return false;
    });
  }
}

async function vectorsOf(
  { records }: ViewedOptions,
  namespace: string,
  texts: readonly ReembeddingText[],
  dimension: number,
): Promise<ReembeddedVector[]> {
  const found = new Map<string, { readonly checksum: string; readonly values: Float32Array | undefined }>();
  const ids = texts.map(({ id }) => id);
  for (const batch of await sizedBatches(records, namespace, ids)) {
    for (const { memory } of await records.copies({ namespace, ids: batch })) {
      found.set(memory.id, { checksum: memory.checksum, values: memory.embedding?.values });
    }
  }
  return texts.map(({ key, id, checksum }) => {
    const copy = found.get(id);
    const values = copy?.checksum === checksum ? copy.values : undefined;
    return { key, checksum, ...(values?.length === dimension && { values }) };
  });
}
