export interface BatchLimits {
  readonly countMax: number;
  /** Of the texts in UTF-8; a text that is longer goes alone. */
  readonly bytesMax: number;
}

/** Cuts a list of texts into runs that keep the limits. */
export function batchesOf(texts: readonly string[], { countMax, bytesMax }: BatchLimits): string[][] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const textBytes = Buffer.byteLength(text);
    if (batch.length > 0 && (batch.length >= countMax || bytes + textBytes > bytesMax)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(text);
    bytes += textBytes;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
