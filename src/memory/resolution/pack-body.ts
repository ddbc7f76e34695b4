import { MnemeError } from '../errors.ts';
import { type Body, layOut, readLayout } from './body-layout.ts';
import { dictionaryOf, NEWEST_DICTIONARY } from './dictionaries.ts';
import { compressed, decompressed } from './zstd.ts';

const FORMAT = 1;
/** Format, version of the dictionary (0: none). */
const HEADER_BYTES = 2;
const DEFAULT_LEVEL = 3;

/** Text and content in one zstd frame, made with the newest dictionary, behind the format and the dictionary's version. */
export function packBody(body: Body, level = DEFAULT_LEVEL): Uint8Array {
  const frame = compressed(layOut(body), level, dictionaryOf(NEWEST_DICTIONARY));
  const packed = new Uint8Array(HEADER_BYTES + frame.byteLength);
  packed.set([FORMAT, NEWEST_DICTIONARY]);
  packed.set(frame, HEADER_BYTES);
  return packed;
}

/** Text and content bit for bit. Fails with CHECKSUM_MISMATCH on damaged bytes. */
export function unpackBody(packed: Uint8Array): Body {
  const [format, version = 0] = packed;
  const dictionary = dictionaryOf(version);
  if (format !== FORMAT || (version > 0 && !dictionary)) {
    const what = `format ${format} with dictionary ${version}`;
    throw new MnemeError('CHECKSUM_MISMATCH', `packed bytes of a memory are damaged or of a newer version: ${what}`);
  }
  return readLayout(decompressed(packed.subarray(HEADER_BYTES), dictionary));
}
