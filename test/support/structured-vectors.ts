import type { TestRandom } from './random.ts';

const LATENT = 48;
const CLUSTERS = 400;

/**
 * Makes vectors that are distributed like embeddings of texts: clusters in a space of few dimensions, embedded in one
 * of many, with noise. They are not of length 1.
 */
export function structuredVectors(random: TestRandom, dimension: number): () => Float32Array {
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const projection = Float32Array.from({ length: LATENT * dimension }, normal);
  const centers = Float32Array.from({ length: CLUSTERS * LATENT }, normal);
  const latent = new Float32Array(LATENT);
  return () => {
    const center = random.int(CLUSTERS) * LATENT;
    for (let i = 0; i < LATENT; i++) latent[i] = (centers[center + i] ?? 0) + 0.6 * normal();
    const vector = new Float32Array(dimension);
    for (let j = 0; j < dimension; j++) vector[j] = 0.8 * normal();
    for (let i = 0; i < LATENT; i++) {
      const scale = latent[i] ?? 0;
      const row = i * dimension;
      for (let j = 0; j < dimension; j++) vector[j] = (vector[j] ?? 0) + scale * (projection[row + j] ?? 0);
    }
    return vector;
  };
}
