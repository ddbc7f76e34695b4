import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NamespaceEntry } from '../recall/namespace-source.ts';
import type { GrowingIndex, IndexFiles } from '../recall/namespace-state.ts';
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

  load(namespace: NamespaceEntry): { index: GrowingIndex; revision: number } | undefined {
    const options = { ...this.options, dimension: namespace.embeddingDimension };
    const loaded = loadSnapshot(this.folderOf(namespace.key), namespace.embeddingModel, options);
    if (!loaded || !('refused' in loaded)) return loaded;
    this.onRefused(namespace.name, loaded.refused);
    return undefined;
  }

  async save(namespace: NamespaceEntry, index: GrowingIndex, revision: number): Promise<void> {
    if (!(index instanceof LayeredVectorIndex)) throw new TypeError('an index of another folder');
    await saveSnapshot(this.folderOf(namespace.key), index, { revision, model: namespace.embeddingModel });
  }

  forget(namespaceKey: number): void {
    rmSync(this.folderOf(namespaceKey), { recursive: true, force: true });
  }

  private folderOf(namespaceKey: number): string {
    return join(this.folder, String(namespaceKey));
  }
}
