import { KINDS, type Kind, type MigrationSource, type MigrationTarget } from './portable.ts';

export interface CopyOptions {
  readonly source: MigrationSource;
  readonly target: MigrationTarget;
  readonly onRecords?: (count: number) => void;
  /** Called with a kind after each page of it that was written; a test ends the process there. */
  readonly onPage?: (kind: Kind) => void;
}

/** Copies what the target does not have yet. The process may end at any moment: another run goes on at the last page. */
export async function copyRecords({ source, target, onRecords, onPage }: CopyOptions): Promise<void> {
  for (const kind of KINDS) {
    const { place, isDone } = await target.progress(kind);
    if (isDone) continue;
    for await (const page of source.pages(kind, place)) {
      await target.write(kind, page.records, page.place);
      onRecords?.(page.records.length);
      onPage?.(kind);
    }
    await target.end(kind);
  }
  await target.complete();
}

export async function countRecords(source: MigrationSource): Promise<number> {
  let sum = 0;
  for (const kind of KINDS) sum += await source.count(kind);
  return sum;
}
