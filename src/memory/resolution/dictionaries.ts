import { DICTIONARY_V1 } from './dictionary-v1.ts';
import { compressed } from './zstd.ts';

/** By version, from 1. A version that memories may be stored with stays for good. */
const DICTIONARIES: readonly Buffer[] = [Buffer.from(DICTIONARY_V1, 'base64')];

/** `undefined` for 0, which stands for none, and for versions of the future. */
export function dictionaryOf(version: number): Buffer | undefined {
  return DICTIONARIES[version - 1];
}

/** 0 where the runtime ignores dictionaries without a word, as Node 22.15 to 22.18 and 24.0 to 24.5 do. */
export const NEWEST_DICTIONARY = isUsed(dictionaryOf(DICTIONARIES.length)) ? DICTIONARIES.length : 0;

function isUsed(dictionary: Buffer | undefined): boolean {
  const sample = dictionary?.subarray(-256) ?? Buffer.alloc(256);
  return compressed(sample, 3, dictionary).byteLength < compressed(sample, 3).byteLength / 2;
}
