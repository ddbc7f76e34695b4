import { incompleteAnswer } from './bad-input.ts';
import { DataLossError } from './errors.ts';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly damagedIds?: readonly string[];
  readonly nextPageToken: string;
}

/** Items of all pages, read on demand. At the end, unreadable items are reported as in `damageTold`. */
export async function* itemsOfPages<Item>(
  readPage: (pageToken: string) => Promise<Page<Item>>,
  onDamaged?: (ids: readonly string[]) => void,
  what = 'memories',
): AsyncGenerator<Item, void, undefined> {
  const told = damageTold(onDamaged, what);
  let pageToken = '';
  do {
    const page = await readPage(pageToken);
    told.note(page.damagedIds ?? []);
    yield* page.items;
    if (page.nextPageToken !== '' && page.nextPageToken === pageToken)
      throw incompleteAnswer('new page token: the server repeats the last one');
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  told.finish();
}

/** Reports unreadable items as they occur; without a listener, `finish` fails with DataLossError, after all others. */
export function damageTold(onDamaged?: (ids: readonly string[]) => void, what = 'memories') {
  const damaged: string[] = [];
  return {
    note(ids: readonly string[]): void {
      if (ids.length === 0) return;
      if (onDamaged) onDamaged(ids);
      else damaged.push(...ids);
    },
    finish(): void {
      if (damaged.length === 0) return;
      const some = damaged.slice(0, 10).join(', ');
      const message = `${damaged.length} ${what} cannot be read, their bytes are damaged: ${some}`;
      throw new DataLossError('DATA_LOSS', message, { reason: 'CHECKSUM_MISMATCH' });
    },
  };
}
