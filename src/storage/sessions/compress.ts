import { availableParallelism } from 'node:os';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { MnemeError } from '../../memory/errors.ts';

/** The fastest level takes a third of the time of the default one and saves nearly as much. Damage is found by checksum. */
const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
/** Bytes from which on two threads are faster than one, and the least that zstd gives one of several. */
const HALVED_FROM = 786_432;
const HALF_MIN = 524_288;
const canHalve = availableParallelism() > 1;

export function compressed(data: Uint8Array): Uint8Array {
  const { byteLength } = data;
  return zstdCompressSync(data, {
    params: canHalve && byteLength >= HALVED_FROM ? halved(byteLength) : params,
    chunkSize: mostOf(data),
  });
}

/** Both halves at the same time: whoever waits for a checkpoint waits for this most of all. */
function halved(byteLength: number): Record<number, number> {
  const jobSize = Math.max(HALF_MIN, Math.ceil(byteLength / 2));
  return { ...params, [constants.ZSTD_c_nbWorkers]: 2, [constants.ZSTD_c_jobSize]: jobSize };
}

/** As long as the result can be at most: with room for all of it, zstd compresses without copying what it gets. */
function mostOf({ byteLength }: Uint8Array): number {
  return byteLength + (byteLength >> 8) + 1024;
}

const CHUNK_BYTES = 1_048_576;

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
