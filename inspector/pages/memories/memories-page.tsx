import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { MemoryOrder } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { credentials } from '../../api/token.ts';
import type { Parameters } from '../../app/navigation.ts';
import { goWith, usePlace } from '../../app/router.ts';
import { useStore } from '../../app/store.ts';
import { countText } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { WatchBadge } from '../../ui/watch-badge.tsx';
import { FirstMemory } from '../overview/first-memory.tsx';
import { narrowed } from './address.ts';
import { BulkActions } from './bulk-actions.tsx';
import { ExportButton } from './export-button.tsx';
import { FilterField } from './filter-field.tsx';
import { MemoryList } from './memory-list.ts';
import { MemoryRow, type Row } from './memory-row.tsx';

const ROW_HEIGHT = 62;

const ORDERS: Readonly<Record<string, readonly [text: string, order: MemoryOrder]>> = {
  '': ['newest stored first', MemoryOrder.MEMORY_ORDER_CREATE_TIME_DESC],
  oldest: ['oldest stored first', MemoryOrder.MEMORY_ORDER_CREATE_TIME_ASC],
  latest: ['latest event first', MemoryOrder.MEMORY_ORDER_EVENT_TIME_DESC],
  earliest: ['earliest event first', MemoryOrder.MEMORY_ORDER_EVENT_TIME_ASC],
  important: ['most important first', MemoryOrder.MEMORY_ORDER_IMPORTANCE_DESC],
};

/** All memories of a namespace, or those that a filter selects; the address has the filter and the order. */
export function MemoriesPage({ parameters }: { readonly parameters: Parameters }) {
  const { namespace = '' } = parameters;
  const { query } = usePlace();
  const filter = query.get('filter') ?? '';
  const order = query.get('order') ?? '';
  const narrow = useCallback((condition: string) => goWith({ filter: narrowed(filter, condition) }), [filter]);
  return (
    <Page title="Memories" actions={<ExportButton namespace={namespace} filter={filter} />}>
      <div class="list-head">
        <FilterField key={filter} namespace={namespace} filter={filter} />
        <label>
          <span class="unseen">Order</span>
          <select value={order} onChange={({ currentTarget }) => goWith({ order: currentTarget.value })}>
            {Object.entries(ORDERS).map(([word, [text]]) => (
              <option key={word} value={word}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Memories
        namespace={namespace}
        filter={filter}
        order={ORDERS[order]?.[1] ?? MemoryOrder.MEMORY_ORDER_CREATE_TIME_DESC}
        narrow={narrow}
      />
    </Page>
  );
}

interface MemoriesProps {
  readonly namespace: string;
  readonly filter: string;
  readonly order: MemoryOrder;
  readonly narrow: (condition: string) => void;
}

function Memories({ namespace, filter, order, narrow }: MemoriesProps) {
  const [round, setRound] = useState(0);
  const token = useStore(credentials);
  // Another round, or other credentials, is another list.
  const list = useMemo(() => new MemoryList({ namespace, filter, order }), [namespace, filter, order, round, token]);
  const { rows, total, isLoading, failure, watching, arrived, unplacedCount, damaged } = useStore(list.state);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    setChosen(new Set());
    list.loadMore();
    return () => list.close();
  }, [list]);
  const loadMore = useCallback(() => list.loadMore(), [list]);
  const choose = useCallback((name: string, isChosen: boolean) => {
    setChosen((before) => {
      const after = new Set(before);
      if (isChosen) after.add(name);
      else after.delete(name);
      return after;
    });
  }, []);
  const draw = useCallback(
    (row: Row) => (
      <MemoryRow
        row={row}
        namespace={namespace}
        isChosen={chosen.has(row.name)}
        isNew={arrived.has(row.name)}
        choose={choose}
        narrow={narrow}
      />
    ),
    [namespace, chosen, arrived, choose, narrow],
  );
  if (failure && rows.length === 0) return <Failure failure={failure} again={() => setRound(round + 1)} />;
  return (
    <>
      <div class="row list-state" aria-live="polite">
        <span>{total === undefined ? '' : totalText(total, filter)}</span>
        <WatchBadge state={watching} />
        {unplacedCount > 0 && (
          <button type="button" onClick={() => setRound(round + 1)}>
            {countText(unplacedCount)} new: load the list again
          </button>
        )}
        {damaged.length > 0 && (
          <span class="badge bad">{countText(damaged.length)} damaged: mneme verify names them</span>
        )}
      </div>
      <BulkActions
        namespace={namespace}
        chosen={chosen}
        chooseAll={() => setChosen(new Set(rows.map(({ name }) => name)))}
        chooseNone={() => setChosen(new Set())}
      />
      {rows.length === 0 && isLoading && <Loading />}
      {rows.length === 0 && !isLoading && (
        <NoMemories namespace={namespace} filter={filter} isKnown={total !== undefined} />
      )}
      {rows.length > 0 && (
        <VirtualList
          label="Memories"
          rows={rows}
          total={total ?? rows.length}
          rowHeight={ROW_HEIGHT}
          keyOf={nameOf}
          draw={draw}
          onNearEnd={loadMore}
        />
      )}
      {failure && rows.length > 0 && <Failure failure={failure} again={() => list.retry()} />}
    </>
  );
}

function nameOf({ name }: Row): string {
  return name;
}

function totalText(total: number, filter: string): string {
  const memories = total === 1 ? 'memory' : 'memories';
  return `${countText(total)} ${memories}${filter === '' ? '' : ` ${total === 1 ? 'matches' : 'match'} the filter`}`;
}

interface NoMemoriesProps {
  readonly namespace: string;
  readonly filter: string;
  readonly isKnown: boolean;
}

function NoMemories({ namespace, filter, isKnown }: NoMemoriesProps) {
  if (!isKnown) return <Loading />;
  if (filter === '') return <FirstMemory namespace={namespace} />;
  return (
    <Empty>
      No memory matches the filter.{' '}
      <button type="button" class="link" onClick={() => goWith({ filter: '' })}>
        Show all memories
      </button>
    </Empty>
  );
}
