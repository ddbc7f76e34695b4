import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { MnemeError } from '../errors.ts';
import { MEMORY_LIMITS } from '../limits.ts';

/** More than any memory holds: damaged bytes must not claim gigabytes. */
const BYTES_MAX = 2 * (MEMORY_LIMITS.textBytes + MEMORY_LIMITS.contentBytes);

/** One zstd frame with a checksum of what is in it. */
export function compressed(bytes: Uint8Array, level: number, dictionary?: Buffer): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 };
  return zstdCompressSync(bytes, dictionary ? { params, dictionary } : { params });
}

/** Fails with CHECKSUM_MISMATCH on bytes that are damaged or were compressed with another dictionary. */
export function decompressed(bytes: Uint8Array, dictionary?: Buffer): Uint8Array {
  const limits = { maxOutputLength: BYTES_MAX };
  try {
    return zstdDecompressSync(bytes, dictionary ? { ...limits, dictionary } : limits);
  } catch (cause) {
    throw new MnemeError('CHECKSUM_MISMATCH', 'compressed bytes of a memory are damaged', { cause });
  }
}
