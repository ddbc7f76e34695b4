import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RecallQuery, RecallWeights } from '../../clients/typescript/src/index.ts';
import { nearestOf } from '../memory/nearest-name.ts';
import { durationMs, numberFrom } from './parse-flag.ts';

/** Flags that say what puts hits in order. */
export interface RankingFlags {
  readonly ranking?: 'learned' | 'fusion';
  readonly weight?: RecallWeights;
  readonly halfLife?: number;
  readonly diversity?: number;
}

const PARTS = ['keyword', 'vector', 'recency', 'importance', 'session', 'time', 'place'] as const;

export function addRankingFlags(command: Command): Command {
  const group = (flags: string, description: string) => new Option(flags, description).helpGroup('Ranking:');
  return command
    .addOption(
      group('--ranking <word>', 'rank by the learned model, or by fusion of the scores of words and vectors').choices([
        'learned',
        'fusion',
      ]),
    )
    .addOption(
      group(
        '--weight <part=n>',
        `weight of a part of the score, 0 is off; may be repeated: ${PARTS.join(', ')}`,
      ).argParser(weight),
    )
    .addOption(group('--half-life <span>', 'age at which recency counts half (7d)').argParser(durationMs))
    .addOption(
      group('--diversity <d>', 'prefer hits unlike those above them, 0 (off) to 1').argParser(numberFrom(0, 1)),
    );
}

export function rankingOf({ ranking, weight: weights, halfLife, diversity }: RankingFlags): RecallQuery {
  return {
    ...(ranking !== undefined && { ranking }),
    ...(weights !== undefined && { weights }),
    ...(halfLife !== undefined && { recencyHalfLifeMs: halfLife }),
    ...(diversity !== undefined && { diversity }),
  };
}

function weight(text: string, before: RecallWeights = {}): RecallWeights {
  const [, name = '', amount = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const value = amount.trim() === '' ? Number.NaN : Number(amount);
  const part = PARTS.find((known) => known === name);
  if (part === undefined && name !== '') {
    const meant = nearestOf(name, PARTS, (nearest) => ` Did you mean ${nearest}?`);
    throw new InvalidArgumentError(`${name} is not a part of the score: ${PARTS.join(', ')}.${meant}`);
  }
  if (part === undefined || !(value >= 0)) throw new InvalidArgumentError('Expected part=number, such as recency=0.5.');
  return { ...before, [part]: value };
}
