import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type FileRecord,
  FormerFile,
  fileNameAfter,
  isRefusal,
  type OnRefused,
  putManifest,
  readLastManifest,
  readManifest,
  readVerified,
  writeHashed,
} from './snapshot-files.ts';
import type { IndexOwner, StoreState } from './vector-index.ts';

type ArrayKind<A> = new (length: number) => A;

/** The kind of array of each part, in the order of the file. */
export type PartKinds<P> = { readonly [K in keyof P]: ArrayKind<P[K]> };

interface Manifest extends StoreState {
  readonly format: number;
  /** Models that the arrays were made with. */
  readonly table: string;
  readonly lengths: Readonly<Record<string, number>>;
  readonly file: FileRecord;
}

/** Which arrays a folder has. */
export interface ArrayFolderOptions<P> {
  /** Of the folder inside the data folder, and of the files. */
  readonly name: string;
  /** Increase it when the form or the meaning of the arrays changes: older files are then not used. */
  readonly format: number;
  readonly table: string;
  readonly parts: PartKinds<P>;
}

/**
 * Named arrays of numbers, one set for each namespace in a folder of its own; whenever the process dies, each folder
 * contains one complete set.
 */
export class ArrayFolder<P extends { readonly [K in keyof P]: ArrayBufferView & { readonly length: number } }> {
  private readonly options: ArrayFolderOptions<P>;
  private readonly folder: string;
  private readonly onRefused: OnRefused;

  constructor(dataFolder: string, options: ArrayFolderOptions<P>, onRefused: OnRefused) {
    this.options = options;
    this.folder = join(dataFolder, options.name);
    this.onRefused = onRefused;
  }

  load({ key, name }: IndexOwner): ({ readonly arrays: P } & StoreState) | undefined {
    const { format, table, parts } = this.options;
    const folder = this.folderOf(key);
    try {
      const manifest = readManifest(folder) as Manifest | undefined;
      if (!manifest) return undefined;
      if (manifest.format !== format)
        throw new FormerFile(`the snapshot is of format ${manifest.format}, not ${format}`);
      if (manifest.table !== table) throw new FormerFile(`the snapshot is of "${manifest.table}", not of "${table}"`);
      const { revision, mark, file, lengths } = manifest;
      const arrays = readVerified(join(folder, file.name), file, (fill) => {
        const filled = this.names.map((part) => {
          const array = new parts[part](lengths[part] ?? 0);
          fill(array);
          return [part, array] as const;
        });
        return Object.fromEntries(filled) as unknown as P;
      });
      return { arrays, revision, mark };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.onRefused(name, error.message, error instanceof FormerFile);
      return undefined;
    }
  }

  /** Each part is the concatenation of its arrays in all sets. */
  async save({ key }: IndexOwner, sets: readonly P[], { revision, mark }: StoreState): Promise<void> {
    const { name, format, table } = this.options;
    const folder = this.folderOf(key);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fileName = fileNameAfter((readLastManifest(folder) as Manifest | undefined)?.file.name, name);
    const pieces = this.names.flatMap((part) =>
      sets.map(({ [part]: { buffer, byteOffset, byteLength } }) => new Uint8Array(buffer, byteOffset, byteLength)),
    );
    const file = await writeHashed(join(folder, fileName), fileName, pieces);
    const lengthOf = (part: keyof P) => sets.reduce((sum, arrays) => sum + arrays[part].length, 0);
    const lengths = Object.fromEntries(this.names.map((part) => [part, lengthOf(part)]));
    await putManifest(folder, { format, table, revision, mark, lengths, file } satisfies Manifest);
  }

  forget(ownerKey: number): void {
    rmSync(this.folderOf(ownerKey), { recursive: true, force: true });
  }

  private get names(): readonly (keyof P & string)[] {
    return Object.keys(this.options.parts) as (keyof P & string)[];
  }

  private folderOf(ownerKey: number): string {
    return join(this.folder, String(ownerKey));
  }
}
