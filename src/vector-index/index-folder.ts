import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { GrowingIndex, IndexFiles, IndexOwner, StoreState } from './index-files.ts';
import { type LayeredOptions, LayeredVectorIndex } from './layered.ts';
import { loadSnapshot, saveSnapshot } from './snapshot.ts';

/** The vector indexes of a data folder, one folder of files for each namespace. */
export class IndexFolder implements IndexFiles {
  private readonly folder: string;
  private readonly options: Omit<LayeredOptions, 'dimension'>;
  /** Told why files that are there cannot be used. */
  private readonly onRefused: (namespace: string, reason: string) => void;

  constructor(
    dataFolder: string,
    options: Omit<LayeredOptions, 'dimension'>,
    onRefused: (namespace: string, reason: string) => void,
  ) {
    this.folder = join(dataFolder, 'vectors');
    this.options = options;
    this.onRefused = onRefused;
  }

  create(dimension: number): GrowingIndex {
    return new LayeredVectorIndex({ ...this.options, dimension });
  }

  load(owner: IndexOwner): ({ readonly index: GrowingIndex } & StoreState) | undefined {
    const options = { ...this.options, dimension: owner.embeddingDimension };
    const loaded = loadSnapshot(this.folderOf(owner.key), owner.embeddingModel, options);
    if (!loaded || !('refused' in loaded)) return loaded;
    this.onRefused(owner.name, loaded.refused);
    return undefined;
  }

  async save(owner: IndexOwner, index: GrowingIndex, state: StoreState): Promise<void> {
    if (!(index instanceof LayeredVectorIndex)) throw new TypeError('an index of another folder');
    await saveSnapshot(this.folderOf(owner.key), index, { ...state, model: owner.embeddingModel });
  }

  forget(ownerKey: number): void {
    rmSync(this.folderOf(ownerKey), { recursive: true, force: true });
  }

  private folderOf(ownerKey: number): string {
    return join(this.folder, String(ownerKey));
  }
}
