import {
  getConfig,
  getNamespace,
  getNamespaceStatistics,
  getServerInfo,
  getServerStatistics,
} from '../../api/calls.ts';
import { CallFailure } from '../../api/failure.ts';
import { namespaceName } from '../../api/names.ts';

export type Overview = Awaited<ReturnType<typeof overviewOf>>;

/** What the overview shows, read in one go. */
export async function overviewOf(namespace: string, signal: AbortSignal) {
  const name = namespaceName(namespace);
  const [info, statistics, ofNamespace, config] = await Promise.all([
    getServerInfo({}, signal),
    allowed(getServerStatistics({ simplified: true }, signal)),
    allowed(getNamespaceStatistics({ name }, signal)),
    allowed(getConfig({}, signal)),
  ]);
  // A namespace that has no memories may not be there yet.
  const isThere = (ofNamespace?.statistics?.memoryCount ?? 0) > 0;
  const settings = isThere ? await allowed(getNamespace({ name }, signal)) : undefined;
  return {
    info,
    statistics,
    ofNamespace: ofNamespace?.statistics,
    lastMaintenance: ofNamespace?.lastMaintenanceTime,
    settings: { ...config?.settings, ...settings?.namespace?.settings },
  };
}

/** Parts that this identity may not read, and those of a namespace that is not there yet, are left out. */
async function allowed<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CallFailure && ['permission_denied', 'not_found'].includes(error.code)) return undefined;
    throw error;
  }
}
