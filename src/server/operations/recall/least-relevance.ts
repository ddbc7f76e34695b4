import { minRelevanceOf } from '../../../memory/recall-settings.ts';
import type { Records } from '../../../storage/records.ts';
import type { RecallRequest } from './recall-request.ts';

interface SettingsDeps {
  readonly store: Pick<Records, 'tierSettings'>;
}

/** Lowest relevance of what a namespace finds for a text: its own setting overrides that of the server. */
export async function leastRelevanceIn({ store }: SettingsDeps, namespace: string): Promise<number> {
  return minRelevanceOf(...(await Promise.all([store.tierSettings(''), store.tierSettings(namespace)])));
}

/** Lowest relevance of a hit, where the request or its namespace has one above 0. */
export async function leastRelevanceOf(deps: SettingsDeps, request: RecallRequest): Promise<number | undefined> {
  const { namespace, minRelevance, isRelevantOnly } = request;
  const least = minRelevance === undefined && isRelevantOnly ? await leastRelevanceIn(deps, namespace) : minRelevance;
  return least === 0 ? undefined : least;
}
