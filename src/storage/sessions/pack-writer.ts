import { compressed } from './compress.ts';
import type { Place } from './manifest.ts';
import type { Pack } from './session-view.ts';

/** Uncompressed bytes after which a pack is closed: what is read to get one value out. */
const PACK_BYTES = 4_194_304;

/** Gathers bytes into packs of a checkpoint. */
export class PackWriter {
  readonly packs: Pack[] = [];
  private next: number;
  private parts: Uint8Array[] = [];
  private length = 0;

  constructor(firstNumber: number) {
    this.next = firstNumber;
  }

  add(data: Uint8Array): Place {
    if (this.length > 0 && this.length + data.byteLength > PACK_BYTES) this.close();
    const place = { pack: this.next, offset: this.length, length: data.byteLength };
    this.append(data);
    this.length += data.byteLength;
    return place;
  }

  /** Whole once nothing more is added. */
  finish(): readonly Pack[] {
    if (this.parts.length > 0) this.close();
    return this.packs;
  }

  /** Bytes that lie side by side already stay one part, so that nothing is copied. */
  private append(data: Uint8Array): void {
    const last = this.parts.at(-1);
    const follows = last?.buffer === data.buffer && last.byteOffset + last.byteLength === data.byteOffset;
    if (!follows) this.parts.push(data);
    else this.parts.splice(-1, 1, new Uint8Array(data.buffer, last.byteOffset, last.byteLength + data.byteLength));
  }

  private close(): void {
    const [first = new Uint8Array(), ...others] = this.parts;
    this.packs.push({ number: this.next, data: compressed(others.length > 0 ? Buffer.concat(this.parts) : first) });
    this.next += 1;
    this.parts = [];
    this.length = 0;
  }
}
