import type { Conversation } from '../../../../tools/eval/question-set.ts';
import type { Ranking } from '../../../../tools/eval/score.ts';

const CATEGORIES = ['single-hop', 'single-hop', 'multi-hop', 'single-hop', 'temporal'];

/** Two conversations whose questions have one to twelve memories as evidence. Made by arithmetic: always the same. */
export function syntheticSet(): Conversation[] {
  return ['talk-a', 'talk-b'].map((conversationId, part) => ({
    conversation_id: conversationId,
    memories: Array.from({ length: 80 }, (_, n) => ({
      id: `${conversationId}/${n}`,
      session: String(Math.floor(n / 20)),
      date_iso: `2024-03-0${1 + Math.floor(n / 20)}T10:00:00`,
      speaker: n % 2 === 0 ? 'Ann' : 'Bob',
      text: `turn ${n} of ${conversationId}`,
    })),
    questions: Array.from({ length: 30 }, (_, n) => ({
      id: `${conversationId}/q${n}`,
      text: `question ${n}`,
      category: CATEGORIES[(n * (part + 1)) % 5] ?? '',
      evidence: Array.from(
        { length: 1 + ((n * 5 + part) % 12) },
        (_, k) => `${conversationId}/${(n * 7 + k * 11) % 80}`,
      ),
    })),
  }));
}

/** A ranking for each question: some short, some empty, some with an id that comes again, some past rank 50. */
export function syntheticRankings(): Ranking[] {
  return syntheticSet().flatMap(({ conversation_id, questions }) =>
    questions.map(({ id, category, evidence }, n) => ({
      questionId: id,
      category,
      evidence,
      relevances: [],
      ranked: Array.from(
        { length: n % 7 === 0 ? n : 60 },
        (_, place) => `${conversation_id}/${(n * 9 + (place + (n % 4)) * (place % 3 === 0 ? 11 : 13)) % 80}`,
      ),
    })),
  );
}
