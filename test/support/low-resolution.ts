import { FULL_RESOLUTION, type Resolution } from '../../src/memory/resolution/resolution.ts';

/** Reduces texts, contents and vectors. */
export const LOW: Resolution = { ...FULL_RESOLUTION, abstractBytesMax: 64, compressionLevel: 3, vector: 'bf16' };
