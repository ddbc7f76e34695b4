import type { Config } from '../config/config.ts';
import type { Extractor } from '../extraction/extractor.ts';
import { verbatimExtractor } from '../extraction/verbatim.ts';
import { conversationService } from '../grpc/conversations/conversation-service.ts';
import type { Route } from '../grpc/edge/handler.ts';
import { OpenConversations } from '../operations/conversations/conversations.ts';
import type { MemoryDeps } from '../operations/memories/operation-deps.ts';
import type { Knowledge } from './open-knowledge.ts';

export interface Conversations {
  readonly routes: readonly Route[];
  readonly extractor: Extractor;
}

/** `seen`: what operations work with, the store as callers may see it. `knowledge`: where extracted facts go. */
export function openConversations(config: Config, seen: MemoryDeps, knowledge: Knowledge): Conversations {
  const deps = { ...seen, conversations: new OpenConversations(), onInvocationEnd: () => undefined };
  return { routes: [...conversationService(deps, config), ...knowledge.routes], extractor: verbatimExtractor };
}
