import { RankingMode, RecallGrouping, type RecallRequest } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { namespaceName } from '../../api/names.ts';
import { isTimeText, timestampOf } from '../../api/times.ts';

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

/** Parameters of the second settings begin with it. */
export type Side = '' | 'b.';

/** The settings of an address; what is no number or no time there counts as the default. */
export function settingsIn(query: URLSearchParams, side: Side): Settings {
  const read = (name: keyof Settings) => query.get(`${side}${name}`) ?? '';
  const asOf = read('asOf');
  return {
    limit: wholeIn(read('limit')),
    minRelevance: numberIn(read('minRelevance')),
    filter: read('filter'),
    ranking: read('ranking') === 'fusion' ? 'fusion' : '',
    diversity: numberIn(read('diversity')),
    groupBy: read('groupBy') === 'session' ? 'session' : '',
    asOf: isTimeText(asOf) ? asOf : '',
  };
}

function numberIn(text: string): string {
  const value = Number(text);
  return text.trim() !== '' && Number.isFinite(value) ? `${value}` : '';
}

const INT32_MAX = 2 ** 31 - 1;

function wholeIn(text: string): string {
  const value = Number(numberIn(text));
  return text.trim() !== '' && Number.isInteger(value) && Math.abs(value) <= INT32_MAX ? numberIn(text) : '';
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
