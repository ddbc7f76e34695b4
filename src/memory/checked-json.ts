import { crc32 } from 'node:zlib';
import { MnemeError } from './errors.ts';

/** The last property: no other value of the JSON kept here ends so. */
const SUM = /,"crc":(\d{1,10})\}$/;
const SUM_LENGTH_MAX = 18;

/** JSON of an object that has properties, with the CRC-32 of the rest of it as its last one. */
export function checkedJson(value: object): string {
  const json = JSON.stringify(value);
  return `${json.slice(0, -1)},"crc":${crc32(json)}}`;
}

/** The object. Fails with CHECKSUM_MISMATCH where it is not the one that was kept; JSON without a checksum has only to be JSON. */
export function readCheckedJson(json: string): unknown {
  const sum = SUM.exec(json.slice(-SUM_LENGTH_MAX));
  const kept = sum ? `${json.slice(0, -sum[0].length)}}` : json;
  if (sum && crc32(kept) !== Number(sum[1])) throw damaged();
  try {
    return JSON.parse(kept);
  } catch (cause) {
    throw damaged(cause);
  }
}

function damaged(cause?: unknown): MnemeError {
  return new MnemeError('CHECKSUM_MISMATCH', 'kept JSON does not give its checksum', { cause });
}
