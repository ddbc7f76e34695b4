import { MESSAGE_TYPE } from '../../../memory/conversation.ts';
import type { Memory } from '../../../memory/memory.ts';
import type { ListPosition } from '../../../storage/records.ts';
import { checkWhole, compare } from '../memories/list-memories.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';

const PAGE = 500;

/** The messages of a namespace that were written after a revision, without their texts, page by page, the oldest first. */
export async function* messagePages(
  { view, clock }: Pick<MemoryDeps, 'view' | 'clock'>,
  namespace: string,
  afterRevision: number,
): AsyncGenerator<readonly Memory[]> {
  const filters = [compare('type', 'equals', MESSAGE_TYPE)];
  if (afterRevision > 0) filters.push(compare('revision', 'greater', afterRevision));
  const filter = { kind: 'all', filters } as const;
  const read = { namespace, filter, order: 'create_time_asc', limit: PAGE, view: 'metadata' } as const;
  for (let after: ListPosition | undefined; ; ) {
    const bounds = { bytesMax: Number.MAX_SAFE_INTEGER, nowUs: clock.nowUs() };
    const page = await view.list({ ...read, ...bounds, after });
    checkWhole(namespace, page);
    yield page.memories;
    if (!page.next) return;
    after = page.next;
  }
}
