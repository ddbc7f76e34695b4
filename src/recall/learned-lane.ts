import { readFileSync } from 'node:fs';
import type { TokenTable } from '../embedding/static/token-table.ts';
import type { WordPiece } from '../embedding/static/word-piece.ts';
import { wordsOf } from '../memory/words.ts';
import type { KeywordMatches } from './keyword-lane.ts';
import type { NamespaceColumns } from './namespace-columns.ts';
import type { NamespaceTexts } from './namespace-texts.ts';
import { SignalGatherer } from './ranking/gather.ts';
import { type FeatureContribution, type LearnedHit, LearnedRanker } from './ranking/learned-ranker.ts';
import { readTreeModel, type TreeModelFile } from './ranking/tree-model.ts';
import type { SequenceScores } from './sequence-scores.ts';

const MODEL_FILE = new URL('../../assets/ranker-v2.json', import.meta.url);

export interface LearnedQuestion {
  readonly text: string;
  /** Hits that are wanted. */
  readonly limit: number;
  readonly matches: KeywordMatches;
  /** Keyword scores with what sessions say. */
  readonly context: SequenceScores;
  readonly columns: NamespaceColumns;
  readonly memories: NamespaceTexts;
  /** Absent where every memory is. */
  readonly isAllowed: ((sequence: number) => boolean) | undefined;
}

/** The order of candidates that was learned from conversations; see `docs/decisions/`. One instance serves one thread. */
export class LearnedLane {
  private readonly ranker: LearnedRanker;

  constructor(table: TokenTable, tokenizer: WordPiece) {
    const model = readTreeModel(JSON.parse(readFileSync(MODEL_FILE, 'utf8')) as TreeModelFile);
    this.ranker = new LearnedRanker(model, new SignalGatherer(table, tokenizer));
  }

  /** Best first. */
  order({ text, limit, matches, context, columns, memories, isAllowed }: LearnedQuestion): LearnedHit[] {
    const { speakers } = columns;
    const asked = {
      text,
      limit,
      keyword: matches.scores,
      passages: matches.passages,
      context,
      names: speakers.nameWords(),
      named: speakers.named(new Set(wordsOf(text))),
      isAllowed,
    };
    return this.ranker.rank(asked, memories, columns);
  }

  explain(hit: LearnedHit): readonly FeatureContribution[] {
    return this.ranker.explain(hit).contributions;
  }
}
