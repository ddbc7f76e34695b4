import { MnemeError } from '../../memory/errors.ts';
import type { Embedding } from '../../memory/memory.ts';

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
    const part = unfitPart(error);
    const isUnfit = ({ embedding }: WithVector) =>
      embedding && String(part === 'model' ? embedding.model : embedding.values.length) === actualOf(error);
    const at = part === undefined ? -1 : memories.findIndex(isUnfit);
    throw at < 0 ? error : unfitVectorNamed(error, `${pathOf(at)}.embedding`);
  }
}

/** The error with the field of the vector in it, where it is about a vector that does not fit; any other as it is. */
export function unfitVectorNamed(error: unknown, embedding: string): unknown {
  const part = unfitPart(error);
  if (part === undefined || !(error instanceof MnemeError)) return error;
  const { reason, message, metadata } = error;
  const field = `${embedding}.${part}`;
  const violations = [{ field, description: message }];
  return new MnemeError(reason, `${field}: ${message}`, { metadata, violations, cause: error });
}

function unfitPart(error: unknown): 'model' | 'dimension' | undefined {
  if (!(error instanceof MnemeError)) return undefined;
  if (error.reason === 'MODEL_MISMATCH') return 'model';
  return error.reason === 'DIMENSION_MISMATCH' ? 'dimension' : undefined;
}

function actualOf(error: unknown): string | undefined {
  return error instanceof MnemeError ? error.metadata['actual'] : undefined;
}
