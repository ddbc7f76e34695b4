import { parsedContent } from '../../../src/memory/derive-text.ts';
import { MnemeError } from '../../../src/memory/errors.ts';
import { admits } from '../../../src/memory/evaluate-filter.ts';
import type { Memory } from '../../../src/memory/memory.ts';
import type { Plan } from '../../../src/search/presets/preset.ts';
import { resolvePreset } from '../../../src/search/presets/presets.ts';
import { scorerOf } from '../../../src/search/scoring/scorer.ts';
import { newMemory } from '../../support/new-memory.ts';

/** 2024-07-17T14:30:00Z. */
export const NOW_US = 1_721_226_600_000_000;

export function planOf(name: string, parameters: object = {}): Plan {
  return resolvePreset({ name, parameters: Buffer.from(JSON.stringify(parameters)) }, NOW_US);
}

/** Fields that the preset finds fault with. */
export function faultsOf(name: string, parameters: object): string[] {
  try {
    planOf(name, parameters);
  } catch (error) {
    if (error instanceof MnemeError && error.reason === 'FIELD_INVALID')
      return error.violations.map(({ field }) => field);
    throw error;
  }
  return [];
}

/** Ids of the memories that a scored preset returns, best first. */
export function foundBy(name: string, parameters: object, memories: readonly Memory[]): string[] {
  const plan = planOf(name, parameters);
  if (plan.kind === 'nothing') return [];
  if (plan.kind !== 'scored') throw new Error(`${name} is ${plan.kind}`);
  const score = scorerOf(plan.scoring);
  return memories
    .flatMap((memory) => {
      if (plan.filter && !admits(plan.filter, memory)) return [];
      const scored = score(memory, () => parsedContent(memory.content));
      return scored ? [{ id: memory.id, ...scored }] : [];
    })
    .sort((a, b) => b.score - a.score || (b.next ?? 0) - (a.next ?? 0))
    .map(({ id }) => id);
}

export function stored(id: string, changes: Partial<Memory> & { readonly json?: unknown } = {}): Memory {
  const { json, ...fields } = changes;
  const content =
    json === undefined ? {} : { content: { mediaType: 'application/json', data: Buffer.from(JSON.stringify(json)) } };
  return { ...newMemory({ id }), namespace: 'n', revision: 1, ...content, ...fields };
}
