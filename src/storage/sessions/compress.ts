import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { MnemeError } from '../../memory/errors.ts';

/** The fastest level takes a third of the time of the default one and saves nearly as much. Damage is found by checksum. */
const CHUNK_BYTES = 1_048_576;
const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };

export function compressed(data: Uint8Array): Uint8Array {
  return zstdCompressSync(data, { params, chunkSize: chunkFor(data) });
}

/** What comes out is gathered in chunks; of the small ones that are the default, many would have to be put together. */
function chunkFor({ byteLength }: Uint8Array): number {
  return Math.min(CHUNK_BYTES, Math.max(4096, 2 * byteLength));
}

/** Fails with CHECKSUM_MISMATCH where the bytes are not those that were stored. */
export function decompressed(name: string, data: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(data, { chunkSize: chunkFor(data) });
  } catch (cause) {
    throw damaged(name, cause);
  }
}

export function damaged(name: string, cause?: unknown): MnemeError {
  return new MnemeError('CHECKSUM_MISMATCH', `${name} is damaged: its bytes are not those that were stored`, {
    metadata: { name },
    cause,
  });
}
