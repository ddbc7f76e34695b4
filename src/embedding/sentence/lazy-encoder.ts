import { SentenceEncoder } from './sentence-encoder.ts';

/** The encoder of a thread, read when it is first needed: some 150 ms and 45 MB that a start does not wait for. */
export class LazyEncoder {
  private encoder: SentenceEncoder | undefined;

  get isLoaded(): boolean {
    return this.encoder !== undefined;
  }

  load(): SentenceEncoder {
    this.encoder ??= new SentenceEncoder();
    return this.encoder;
  }
}
