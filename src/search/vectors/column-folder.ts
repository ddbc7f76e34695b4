import type { ColumnFiles, KeptColumns } from '../recall/kept-columns.ts';
import { ArrayFolder, type PartKinds } from './array-folder.ts';
import type { OnRefused } from './snapshot-files.ts';
import type { IndexOwner, StoreState } from './vector-index.ts';

/** Increase it when the meaning of a column changes: columns are then read from the store again. */
const COLUMNS_FORMAT = 1;

const PARTS: PartKinds<KeptColumns> = {
  eventTimes: Float64Array,
  expiryTimes: Float64Array,
  summaries: Float64Array,
  validities: Float64Array,
  places: Float64Array,
  placeLengths: Uint32Array,
  importances: Float32Array,
  speakers: Int32Array,
  sessions: Int32Array,
  previous: Int32Array,
  following: Int32Array,
  tails: Int32Array,
  alive: Uint8Array,
  superseded: Uint8Array,
  names: Uint8Array,
};

/** Columns that recall has read of the store's rows. */
export class ColumnFolder implements ColumnFiles {
  private readonly files: ArrayFolder<KeptColumns>;

  constructor(dataFolder: string, onRefused: OnRefused) {
    const options = { name: 'columns', format: COLUMNS_FORMAT, table: '', parts: PARTS };
    this.files = new ArrayFolder(dataFolder, options, onRefused);
  }

  load(owner: IndexOwner): ({ readonly columns: KeptColumns } & StoreState) | undefined {
    const loaded = this.files.load(owner);
    return loaded && { columns: loaded.arrays, revision: loaded.revision, mark: loaded.mark };
  }

  async save(owner: IndexOwner, columns: KeptColumns, state: StoreState): Promise<void> {
    await this.files.save(owner, [columns], state);
  }

  forget(ownerKey: number): void {
    this.files.forget(ownerKey);
  }
}
