import type { KeptTexts, TextFiles } from '../recall/kept-texts.ts';
import { ArrayFolder, type PartKinds } from './array-folder.ts';
import type { OnRefused } from './snapshot-files.ts';
import type { IndexOwner, StoreState } from './vector-index.ts';

/** Increase it when tokenizer, stemmer, traits or the form of the arrays change: stored texts are then analysed again. */
const TEXTS_FORMAT = 5;

const PARTS: PartKinds<KeptTexts> = {
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
};

/** Texts that recall has analysed. */
export class TextFolder implements TextFiles {
  private readonly files: ArrayFolder<KeptTexts>;

  /** `table` names the models that the texts are read with. */
  constructor(dataFolder: string, table: string, onRefused: OnRefused) {
    this.files = new ArrayFolder(dataFolder, { name: 'texts', format: TEXTS_FORMAT, table, parts: PARTS }, onRefused);
  }

  load(owner: IndexOwner): ({ readonly texts: KeptTexts } & StoreState) | undefined {
    const loaded = this.files.load(owner);
    return loaded && { texts: loaded.arrays, revision: loaded.revision, mark: loaded.mark };
  }

  async save(owner: IndexOwner, parts: readonly KeptTexts[], state: StoreState): Promise<void> {
    await this.files.save(owner, parts, state);
  }

  forget(ownerKey: number): void {
    this.files.forget(ownerKey);
  }
}
