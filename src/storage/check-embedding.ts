import { MnemeError } from '../memory/errors.ts';
import type { Embedding } from '../memory/memory.ts';

/** Fails with MODEL_MISMATCH or DIMENSION_MISMATCH when a vector cannot be compared with those of its namespace. */
export function checkEmbedding(
  namespace: { readonly name: string; readonly model: string; readonly dimension: number },
  { model, values }: Embedding,
): void {
  const { name, dimension } = namespace;
  if (model !== namespace.model) {
    const message = `namespaces/${name} holds vectors of model "${namespace.model}", got one of "${model}"`;
    throw new MnemeError('MODEL_MISMATCH', message, { metadata: { expected: namespace.model, actual: model } });
  }
  if (values.length !== dimension) {
    const message = `namespaces/${name} holds vectors of dimension ${dimension}, got one of ${values.length}`;
    const metadata = { expected: String(dimension), actual: String(values.length) };
    throw new MnemeError('DIMENSION_MISMATCH', message, { metadata });
  }
}
