import { RankingMode, RecallGrouping, type RecallRequest } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { namespaceName } from '../../api/names.ts';
import { timestampOf } from '../../api/times.ts';

/** Settings of a recall as the address has them: an empty text is the default. */
export interface Settings {
  readonly limit: string;
  readonly minRelevance: string;
  readonly filter: string;
  readonly ranking: string;
  readonly diversity: string;
  readonly groupBy: string;
  readonly asOf: string;
}

export const NAMES = ['limit', 'minRelevance', 'filter', 'ranking', 'diversity', 'groupBy', 'asOf'] as const;

/** Parameters of the second settings begin with it. */
export type Side = '' | 'b.';

export function settingsIn(query: URLSearchParams, side: Side): Settings {
  const read = (name: (typeof NAMES)[number]) => query.get(`${side}${name}`) ?? '';
  return Object.fromEntries(NAMES.map((name) => [name, read(name)])) as unknown as Settings;
}

type Draft = Parameters<typeof RecallRequest.fromPartial>[0];

export function requestOf(namespace: string, text: string, settings: Settings): Draft {
  const { limit, minRelevance, filter, ranking, diversity, groupBy, asOf } = settings;
  return {
    parent: namespaceName(namespace),
    text,
    explain: true,
    ...(limit !== '' && { limit: Number(limit) }),
    ...(minRelevance !== '' && { minRelevance: Number(minRelevance) }),
    ...(filter !== '' && { filterText: filter }),
    ...(ranking === 'fusion' && { ranking: RankingMode.RANKING_MODE_FUSION }),
    ...(diversity !== '' && { diversity: Number(diversity) }),
    ...(groupBy === 'session' && { groupBy: RecallGrouping.RECALL_GROUPING_SESSION }),
    ...(asOf !== '' && { asOf: timestampOf(new Date(asOf)) }),
  };
}

/** The request as the JSON of a caller, without what only this page asks for. */
export function jsonOf(namespace: string, text: string, settings: Settings): Readonly<Record<string, unknown>> {
  const { explain: _, ranking, groupBy, asOf, ...draft } = requestOf(namespace, text, settings);
  return {
    ...draft,
    ...(ranking !== undefined && { ranking: 'RANKING_MODE_FUSION' }),
    ...(groupBy !== undefined && { groupBy: 'RECALL_GROUPING_SESSION' }),
    ...(asOf !== undefined && { asOf: new Date(settings.asOf).toISOString() }),
  };
}
