import { hash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeptTexts, TextFiles } from '../recall/kept-texts.ts';
import {
  FileDamaged,
  type FileRecord,
  isSystemError,
  readVerified,
  syncFolder,
  textOf,
  writeHashed,
} from './snapshot-files.ts';
import type { IndexOwner, StoreState } from './vector-index.ts';

/**
 * Increase it when tokenizer, stemmer, traits or the form of the files change: stored texts are then analysed again.
 */
const TEXTS_FORMAT = 3;
const MANIFEST = 'manifest';

const PARTS = {
  counts: Uint16Array,
  spans: Uint32Array,
  traits: Uint16Array,
  tokenCounts: Uint32Array,
  tokens: Uint16Array,
  vectors: Int8Array,
  shrinks: Float32Array,
  meaningLengths: Uint32Array,
  meanings: Int8Array,
  termCounts: Uint32Array,
  terms: Uint32Array,
  words: Uint8Array,
} as const satisfies Record<keyof KeptTexts, new (length: number) => ArrayBufferView>;
const NAMES = Object.keys(PARTS) as (keyof KeptTexts)[];

interface Manifest extends StoreState {
  readonly format: number;
  /** Models that the texts were read with. */
  readonly table: string;
  readonly lengths: Readonly<Record<keyof KeptTexts, number>>;
  readonly file: FileRecord;
}

/**
 * Texts that recall has analysed, one folder for each namespace; whenever the process dies, each folder contains one
 * complete set.
 */
export class TextFolder implements TextFiles {
  private readonly folder: string;
  private readonly table: string;
  /** Called with the reason why existing files cannot be used. */
  private readonly onRefused: (namespace: string, reason: string) => void;

  constructor(dataFolder: string, table: string, onRefused: (namespace: string, reason: string) => void) {
    this.folder = join(dataFolder, 'texts');
    this.table = table;
    this.onRefused = onRefused;
  }

  load({ key, name }: IndexOwner): ({ readonly texts: KeptTexts } & StoreState) | undefined {
    const folder = this.folderOf(key);
    try {
      const manifest = readManifest(folder);
      if (!manifest || manifest.format !== TEXTS_FORMAT || manifest.table !== this.table) return undefined;
      const texts = readVerified(join(folder, manifest.file.name), manifest.file, (fill) => {
        const parts = NAMES.map((part) => {
          const array = new PARTS[part](manifest.lengths[part]);
          fill(array);
          return [part, array] as const;
        });
        return Object.fromEntries(parts) as unknown as KeptTexts;
      });
      return { texts, revision: manifest.revision, mark: manifest.mark };
    } catch (error) {
      if (!(error instanceof FileDamaged || isSystemError(error))) throw error;
      this.onRefused(name, error.message);
      return undefined;
    }
  }

  async save({ key }: IndexOwner, texts: KeptTexts, { revision, mark }: StoreState): Promise<void> {
    const folder = this.folderOf(key);
    mkdirSync(folder, { recursive: true });
    // The other of two names than the last one, which stays whole until the manifest names this one.
    const name = lastFileOf(folder) === 'texts-0' ? 'texts-1' : 'texts-0';
    const pieces = NAMES.map((part) => {
      const { buffer, byteOffset, byteLength } = texts[part];
      return new Uint8Array(buffer, byteOffset, byteLength);
    });
    const file = await writeHashed(join(folder, name), name, pieces);
    const lengths = Object.fromEntries(NAMES.map((part) => [part, texts[part].length]));
    const line = JSON.stringify({ format: TEXTS_FORMAT, table: this.table, revision, mark, lengths, file });
    const path = join(folder, MANIFEST);
    await writeHashed(`${path}.new`, MANIFEST, [Buffer.from(`${line}\n${hash('sha256', line)}\n`)]);
    await syncFolder(folder);
    await rename(`${path}.new`, path);
    await syncFolder(folder);
  }

  forget(ownerKey: number): void {
    rmSync(this.folderOf(ownerKey), { recursive: true, force: true });
  }

  private folderOf(ownerKey: number): string {
    return join(this.folder, String(ownerKey));
  }
}

/** `undefined` when there is no manifest. */
function readManifest(folder: string): Manifest | undefined {
  const text = textOf(join(folder, MANIFEST));
  if (text === undefined) return undefined;
  const [line = '', sha256, end, ...more] = text.split('\n');
  if (end !== '' || more.length > 0 || sha256 !== hash('sha256', line))
    throw new FileDamaged('the manifest is damaged');
  return JSON.parse(line) as Manifest;
}

function lastFileOf(folder: string): string | undefined {
  try {
    return readManifest(folder)?.file.name;
  } catch (error) {
    if (error instanceof FileDamaged) return undefined;
    throw error;
  }
}
