import { MnemeError } from '../memory/errors.ts';
import type { Embedding } from '../memory/memory.ts';

interface WithVector {
  readonly embedding?: Embedding | null | undefined;
}

/** When a vector does not fit its namespace, which the store finds out, says in which field of the request it is. */
export async function namingUnfitVector<T>(
  written: Promise<T>,
  memories: readonly WithVector[],
  pathOf: (at: number) => string = () => 'memory',
): Promise<T> {
  try {
    return await written;
  } catch (error) {
    throw error instanceof MnemeError ? named(error, memories, pathOf) : error;
  }
}

function named(error: MnemeError, memories: readonly WithVector[], pathOf: (at: number) => string): MnemeError {
  const { reason, message, metadata } = error;
  if (reason !== 'MODEL_MISMATCH' && reason !== 'DIMENSION_MISMATCH') return error;
  const part = reason === 'MODEL_MISMATCH' ? 'model' : 'dimension';
  const isUnfit = ({ embedding }: WithVector) =>
    embedding && String(part === 'model' ? embedding.model : embedding.values.length) === metadata['actual'];
  const at = memories.findIndex(isUnfit);
  if (at < 0) return error;
  const field = `${pathOf(at)}.embedding.${part}`;
  const violations = [{ field, description: message }];
  return new MnemeError(reason, `${field}: ${message}`, { metadata, violations, cause: error });
}
