import type { TrustLevel as Numbers } from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import type { TrustLevel } from '../../../memory/trust.ts';

/** `TrustLevel` in `proto/mneme/v1/knowledge_service.proto`. Literals, as its generated code loads the transport. */
export const TRUST_NUMBERS: Readonly<Record<TrustLevel, Numbers>> = {
  untrusted: 1 satisfies Numbers.TRUST_LEVEL_UNTRUSTED,
  tool: 2 satisfies Numbers.TRUST_LEVEL_TOOL,
  assistant: 3 satisfies Numbers.TRUST_LEVEL_ASSISTANT,
  user: 4 satisfies Numbers.TRUST_LEVEL_USER,
  explicit: 5 satisfies Numbers.TRUST_LEVEL_EXPLICIT,
};
