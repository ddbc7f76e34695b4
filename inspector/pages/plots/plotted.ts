import { type Memory, MemoryView, type Place, type Tier } from '../../../gen/ts/mneme/v1/memory.ts';
import { MemoryOrder } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { countMemories, listMemories } from '../../api/calls.ts';
import { namespaceName } from '../../api/names.ts';
import { dateOf } from '../../api/times.ts';

/** More memories are not read: the plots show the newest ones and say so. */
const MEMORIES_MAX = 20_000;
const PAGE_SIZE = 1000;

/** What plots keep of a memory. */
export interface Plotted {
  readonly name: string;
  readonly type: string;
  readonly tier: Tier;
  readonly atMs: number;
  readonly place: Place | undefined;
}

/** Time by which memories are plotted. */
export type TimeField = 'event_time' | 'create_time';

interface Wanted {
  readonly namespace: string;
  readonly filter: string;
  readonly timeField: TimeField;
}

export interface PlottedMemories {
  /** Latest first. */
  readonly memories: readonly Plotted[];
  /** Memories that the filter selects, those that are not read included. */
  readonly total: number;
}

const ORDERS = {
  event_time: MemoryOrder.MEMORY_ORDER_EVENT_TIME_DESC,
  create_time: MemoryOrder.MEMORY_ORDER_CREATE_TIME_DESC,
};

/** Reads the memories without text and content, page by page. */
export async function plottedMemories(
  { namespace, filter, timeField }: Wanted,
  onProgress: (count: number) => void,
  signal: AbortSignal,
): Promise<PlottedMemories> {
  onProgress(0);
  const selection = { parent: namespaceName(namespace), filterText: filter };
  const { count } = await countMemories(selection, signal);
  const draft = { ...selection, order: ORDERS[timeField], view: MemoryView.MEMORY_VIEW_METADATA, pageSize: PAGE_SIZE };
  const memories: Plotted[] = [];
  let pageToken = '';
  do {
    const page = await listMemories({ ...draft, pageToken }, signal);
    for (const memory of page.memories) memories.push(plottedOf(memory, timeField));
    pageToken = page.nextPageToken;
    onProgress(memories.length);
  } while (pageToken !== '' && memories.length < MEMORIES_MAX);
  const shown = memories.slice(0, MEMORIES_MAX);
  // Memories can be stored between the count and the last page.
  return { memories: shown, total: Math.max(count, shown.length) };
}

function plottedOf({ name, type, tier, eventTime, createTime, place }: Memory, timeField: TimeField): Plotted {
  const time = (timeField === 'event_time' ? eventTime : undefined) ?? createTime;
  return { name, type, tier, atMs: time ? dateOf(time).getTime() : 0, place };
}
