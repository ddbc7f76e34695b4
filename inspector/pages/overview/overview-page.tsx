import { namespaceNow } from '../../app/namespace.ts';
import { useStore } from '../../app/store.ts';
import { Page } from '../../ui/page.tsx';
import { Failure, Loading } from '../../ui/states.tsx';
import { usePolled } from '../../ui/use-asked.ts';
import { FirstMemory } from './first-memory.tsx';
import { HealthPanel } from './health-panel.tsx';
import { MemoriesPanel, TiersPanel } from './memory-panels.tsx';
import { overviewOf } from './overview.ts';
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
          {value.ofNamespace?.memoryCount === 0 && <FirstMemory namespace={namespace} />}
          <div class="panels">
            <MemoriesPanel {...value} namespace={namespace} />
            <TiersPanel {...value} namespace={namespace} />
            {value.statistics && <IndexPanel statistics={value.statistics} info={value.info} />}
            {value.statistics && <WorkPanel {...value} statistics={value.statistics} />}
            <ServerPanel {...value} />
          </div>
        </>
      )}
    </Page>
  );
}
