import { RecallRequest, RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { type Corpus, embeddingOf, PARENT } from '../data/corpus.ts';
import type { Messages } from './call-messages.ts';

/** The query: words, a vector, or both. Every answer has all its hits, whatever their relevance. */
export type Cue = 'text' | 'vector' | 'both';

const LIMIT = 10;

export function recallRequests(corpus: Corpus, cue: Cue, exact = false): RecallRequest[] {
  return corpus.questions.map((question, i) => {
    const vector = corpus.queryVectors[i];
    return RecallRequest.fromPartial({
      parent: PARENT,
      limit: LIMIT,
      exact,
      ...(cue === 'vector' ? {} : { text: question, minRelevance: 0 }),
      ...(cue === 'text' || !vector ? {} : { embedding: embeddingOf(vector) }),
    });
  });
}

export function recallMessages(corpus: Corpus, cue: Cue, exact = false): Messages {
  return encodedRecalls(recallRequests(corpus, cue, exact));
}

export function encodedRecalls(requests: readonly RecallRequest[]): Messages {
  const messages = requests.map((request) => RecallRequest.encode(request).finish());
  return { path: RecallServiceService.recall.path, messages };
}
