import { wordsOf } from '../../../src/memory/words.ts';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { LANE_CANDIDATES } from '../../../src/search/ranking/gather.ts';
import { bestOf } from '../../../src/search/ranking/lane-scores.ts';
import { contentWordsOf, weightedTokensOf } from '../../../src/search/ranking/question.ts';
import { SoftMatcher } from '../../../src/search/ranking/soft-match.ts';
import { TokenIndex } from '../../../src/search/ranking/token-index.ts';
import { NamespaceColumns } from '../../../src/search/recall/namespace-columns.ts';
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
