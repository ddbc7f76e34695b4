import { MnemeError } from '../../memory/errors.ts';
import type { NamespaceState } from './namespace-state.ts';
import type { RecallQuery } from './recall-engine.ts';

/** Refuses a vector whose model or dimension differs from that of the namespace. */
export function checkVector({ entry }: NamespaceState, { embedding }: RecallQuery): void {
  if (!embedding || entry.embeddingDimension === 0) return;
  const holds = `namespaces/${entry.name} holds vectors of`;
  if (embedding.model !== entry.embeddingModel) {
    const [expected, actual] = [entry.embeddingModel, embedding.model];
    const description = `${holds} "${expected}", got "${actual}"`;
    throw mismatch('MODEL_MISMATCH', { field: 'embedding.model', description }, { expected, actual });
  }
  if (embedding.values.length !== entry.embeddingDimension) {
    const [expected, actual] = [String(entry.embeddingDimension), String(embedding.values.length)];
    const description = `${holds} ${expected} values, got ${actual}`;
    throw mismatch('DIMENSION_MISMATCH', { field: 'embedding.dimension', description }, { expected, actual });
  }
}

function mismatch(
  reason: 'MODEL_MISMATCH' | 'DIMENSION_MISMATCH',
  violation: { field: string; description: string },
  metadata: { expected: string; actual: string },
): MnemeError {
  return new MnemeError(reason, `${violation.field}: ${violation.description}`, { metadata, violations: [violation] });
}
