import type { StaticTexts } from '../../search/embedding/static/static-embedder.ts';
import { tokenizers } from '../../search/tokenizers.ts';
import type { SessionStore } from '../../storage/session-store.ts';
import { contextService } from '../grpc/context/context-service.ts';
import type { Route } from '../grpc/edge/handler.ts';
import type { Logger } from '../logger.ts';
import type { ContextDeps } from '../operations/context/build-context.ts';
import type { AnswerRecallDeps } from '../operations/recall/answer-recall.ts';
import type { VisibilityRules } from '../operations/visibility/visibility.ts';
import { seenSessions } from '../operations/visibility/visible-sessions.ts';

/** Parts of the server that contexts need besides those of recall. */
interface ContextParts extends Pick<ContextDeps, 'autoCreateNamespaces'> {
  readonly sessions: SessionStore;
  readonly visibilityRules: VisibilityRules;
  readonly texts: StaticTexts;
  readonly logger: Logger;
}

/** The methods that build contexts. */
export function contextServices(
  recall: AnswerRecallDeps,
  { autoCreateNamespaces, sessions, visibilityRules, texts, logger }: ContextParts,
): Route[] {
  return contextService({
    ...recall,
    autoCreateNamespaces,
    workingMemory: seenSessions(sessions, visibilityRules),
    loadTokenizer: tokenizers((text) => texts.countTokens(text, Number.POSITIVE_INFINITY)),
    onFault: (err, part) => logger.error({ err, part }, 'a part of a context could not be read'),
  });
}
