import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const ID_BYTES = 16;
/** Random bytes for so many ids are drawn at once: a draw costs more than all else of an id. */
const IDS_AT_ONCE = 256;

/**
 * Ids of memories: UUIDs of version 7 (RFC 9562), each greater than the preceding one, whatever the clock does. The
 * bits after the time are a counter that starts at a random number in each new millisecond (method 2 of section 6.2).
 */
export function idSource(nowMs: () => number = Date.now): () => string {
  const drawn = new Uint8Array(ID_BYTES * IDS_AT_ONCE);
  let used = drawn.length;
  let msecs = Number.NEGATIVE_INFINITY;
  let seq = 0;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    const random = drawn.subarray(used, used + ID_BYTES);
    used += ID_BYTES;
    const now = nowMs();
    if (now > msecs) {
      msecs = now;
      // The lower half of the range, so that the counter cannot overflow soon.
      seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
    } else {
      seq = (seq + 1) >>> 0;
      if (seq === 0) msecs++;
    }
    return v7({ random, msecs, seq });
  };
}
