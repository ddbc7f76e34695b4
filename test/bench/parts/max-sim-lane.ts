import { StaticTexts } from '../../../src/embedding/static/static-embedder.ts';
import { wordsOf } from '../../../src/memory/words.ts';
import { NamespaceColumns } from '../../../src/recall/namespace-columns.ts';
import { LANE_CANDIDATES } from '../../../src/recall/ranking/gather.ts';
import { bestOf } from '../../../src/recall/ranking/lane-scores.ts';
import { contentWordsOf, weightedTokensOf } from '../../../src/recall/ranking/question.ts';
import { SoftMatcher } from '../../../src/recall/ranking/soft-match.ts';
import { TokenIndex } from '../../../src/recall/ranking/token-index.ts';
import { type Corpus, sessionOf, speakerOf, startedAtUs } from '../data/corpus.ts';

/** MaxSim over all memories and over their windows, and the best of both: no request asks for it alone. */
export function maxSimAlone({ texts }: Pick<Corpus, 'texts'>): (question: string) => unknown {
  const { table, tokenizer } = new StaticTexts().load();
  const columns = new NamespaceColumns();
  const index = new TokenIndex();
  texts.forEach((text, at) => {
    const key = at + 1;
    columns.put(key, {
      key,
      session: `session-${sessionOf(at)}`,
      speaker: speakerOf(at),
      eventAtUs: startedAtUs(at),
      importance: 0.5,
      expiresAtUs: Number.POSITIVE_INFINITY,
      superseded: false,
    });
    index.put(key, tokenizer.encode(text));
  });
  const matcher = new SoftMatcher(table);
  const nobody: ReadonlySet<string> = new Set();
  return (question) => {
    const query = weightedTokensOf(contentWordsOf(wordsOf(question), nobody), tokenizer, index);
    const { own, window } = matcher.match(query, index, columns);
    return [bestOf(own, LANE_CANDIDATES), bestOf(window, LANE_CANDIDATES)];
  };
}
