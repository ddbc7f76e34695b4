import { TrustLevel as TrustCode } from '../../../gen/ts/mneme/v1/knowledge_service.ts';

/** Trust in the source of a memory, from the least to the most. */
export type TrustLevel = 'untrusted' | 'tool' | 'assistant' | 'user' | 'explicit';

const LEVELS: ReadonlyMap<TrustCode, TrustLevel> = new Map([
  [TrustCode.TRUST_LEVEL_UNTRUSTED, 'untrusted'],
  [TrustCode.TRUST_LEVEL_TOOL, 'tool'],
  [TrustCode.TRUST_LEVEL_ASSISTANT, 'assistant'],
  [TrustCode.TRUST_LEVEL_USER, 'user'],
  [TrustCode.TRUST_LEVEL_EXPLICIT, 'explicit'],
]);

/** A level that this version of the client does not know is the least. */
export function trustOf(code: TrustCode): TrustLevel {
  return LEVELS.get(code) ?? 'untrusted';
}
