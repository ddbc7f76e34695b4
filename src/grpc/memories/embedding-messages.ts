import { endianness } from 'node:os';
import type { Embedding as EmbeddingMessage } from '../../../gen/ts/mneme/v1/memory.ts';
import { MEMORY_LIMITS } from '../../memory/limits.ts';
import type { Embedding } from '../../memory/memory.ts';
import type { RequestChecks } from '../edge/request-checks.ts';

if (endianness() !== 'LE') throw new Error('vectors travel as they lie in memory, which must be little-endian');

/** Views the vector's own bytes. */
export function embeddingMessage({ model, values }: Embedding): EmbeddingMessage {
  const dataF32le = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return { dataF32le, dimension: values.length, model };
}

/** Copies the vector to where its values are aligned. */
export function embeddingOf(checks: RequestChecks, field: string, message: EmbeddingMessage): Embedding {
  const { dimension, model, dataF32le: bytes } = message;
  const { dimension: dimensionMax, modelBytes } = MEMORY_LIMITS;
  checks.text(`${field}.model`, model, modelBytes, { plain: true });
  if (model === '') checks.add(`${field}.model`, `must be 1 to ${modelBytes} bytes, got nothing`);
  if (dimension < 1 || dimension > dimensionMax) {
    checks.add(`${field}.dimension`, `must be from 1 to ${dimensionMax}, got ${dimension}`);
  } else if (bytes.length !== 4 * dimension) {
    const wanted = `must be ${4 * dimension} bytes, 4 for each of ${dimension} values`;
    checks.add(`${field}.data_f32le`, `${wanted}, got ${bytes.length}`);
  } else {
    const values = new Float32Array(dimension);
    new Uint8Array(values.buffer).set(bytes);
    checkDirection(checks, `${field}.data_f32le`, values);
    return { model, values };
  }
  return { model, values: new Float32Array(0) };
}

function checkDirection(checks: RequestChecks, field: string, values: Float32Array): void {
  let isZero = true;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (!Number.isFinite(value)) {
      checks.add(field, `must be finite values, got ${value} at ${i}`);
      return;
    }
    if (value !== 0) isZero = false;
  }
  if (isZero) checks.add(field, 'must not be all zeros: such a vector has no direction');
}
