const DIMENSION = 384;

/** The work of the client, or of the stubs alone. */
export interface Side {
  /** The text of a memory. */
  get(namespace: string, id: string): Promise<string>;
  store(namespace: string, text: string): Promise<void>;
  /** Sends a sentence with each vector; how many were stored. */
  ingest(namespace: string, vectors: readonly Float32Array[]): Promise<number>;
  /** How many memories with text and vector the namespace has. */
  export(namespace: string): Promise<number>;
}

export function sentence(i: number): string {
  return `${i} people were at the harbour when the ${i % 977}th boat came in`;
}

export function vectorsOf(count: number): Float32Array[] {
  return Array.from({ length: count }, (_, i) =>
    Float32Array.from({ length: DIMENSION }, (_, at) => Math.sin(7 * i + at)),
  );
}
