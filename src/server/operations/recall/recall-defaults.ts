import { type RecallDefaults, recallDefaultsOf } from '../../../memory/recall-settings.ts';
import type { Records } from '../../../storage/records.ts';
import type { RecallRequest } from './recall-request.ts';

interface SettingsDeps {
  readonly store: Pick<Records, 'tierSettings'>;
}

/** What a namespace sets for requests that set nothing: its own settings override those of the server. */
export async function recallDefaultsIn({ store }: SettingsDeps, namespace: string): Promise<RecallDefaults> {
  return recallDefaultsOf(...(await Promise.all([store.tierSettings(''), store.tierSettings(namespace)])));
}

/** What a request or else its namespace sets; `minRelevance` is absent where that is 0, or where none applies. */
export async function defaultsOf(deps: SettingsDeps, request: RecallRequest): Promise<Partial<RecallDefaults>> {
  const { namespace, text, timeWindow, minRelevance, timeZone, isRelevantOnly = false } = request;
  const needsZone = timeZone === undefined && (text !== '' || timeWindow !== undefined);
  const needsMinimum = isRelevantOnly && minRelevance === undefined;
  const defaults = needsZone || needsMinimum ? await recallDefaultsIn(deps, namespace) : undefined;
  const least = minRelevance ?? (needsMinimum ? defaults?.minRelevance : undefined);
  return { minRelevance: least === 0 ? undefined : least, timeZone: timeZone ?? defaults?.timeZone };
}
