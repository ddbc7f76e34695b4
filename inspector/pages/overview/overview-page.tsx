import {
  getConfig,
  getNamespace,
  getNamespaceStatistics,
  getServerInfo,
  getServerStatistics,
} from '../../api/calls.ts';
import { CallFailure } from '../../api/failure.ts';
import { namespaceName } from '../../api/names.ts';
import { namespaceNow } from '../../app/namespace.ts';
import { useStore } from '../../app/store.ts';
import { Page } from '../../ui/page.tsx';
import { Failure, Loading } from '../../ui/states.tsx';
import { usePolled } from '../../ui/use-asked.ts';
import { FirstMemory } from './first-memory.tsx';
import { HealthPanel } from './health-panel.tsx';
import { MemoriesPanel, TiersPanel } from './memory-panels.tsx';
import { IndexPanel, ServerPanel, WorkPanel } from './server-panels.tsx';

const EVERY_MS = 2000;

/** What the server has and whether it works, asked again every two seconds while the page is visible. */
export function OverviewPage() {
  const namespace = useStore(namespaceNow);
  const { value, failure, again } = usePolled((signal) => overviewOf(namespace, signal), EVERY_MS);
  return (
    <Page title="Overview">
      {failure && <Failure failure={failure} again={again} />}
      {!value && !failure && <Loading />}
      {value && (
        <>
          <HealthPanel {...value} />
          {value.statistics.statistics?.memoryCount === 0 && <FirstMemory namespace={namespace} />}
          <div class="panels">
            <MemoriesPanel {...value} namespace={namespace} />
            <TiersPanel {...value} namespace={namespace} />
            <IndexPanel {...value} />
            <WorkPanel {...value} />
            <ServerPanel {...value} />
          </div>
        </>
      )}
    </Page>
  );
}

export type Overview = Awaited<ReturnType<typeof overviewOf>>;

async function overviewOf(namespace: string, signal: AbortSignal) {
  const name = namespaceName(namespace);
  const [info, statistics, ofNamespace, settings, config] = await Promise.all([
    getServerInfo({}, signal),
    getServerStatistics({ simplified: true }, signal),
    allowed(getNamespaceStatistics({ name }, signal)),
    allowed(getNamespace({ name }, signal)),
    allowed(getConfig({}, signal)),
  ]);
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
