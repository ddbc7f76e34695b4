import { useEffect, useErrorBoundary } from 'preact/hooks';
import { asFailure } from '../api/failure.ts';
import { Page } from '../ui/page.tsx';
import { Empty, Failure } from '../ui/states.tsx';
import { namespaceNow } from './namespace.ts';
import type { Parameters } from './navigation.ts';
import { PAGES } from './pages.ts';
import { matched, usePlace } from './router.ts';
import { Shell } from './shell.tsx';

export function App() {
  const { path } = usePlace();
  const found = pageAt(path);
  const namespace = found?.parameters['namespace'];
  useEffect(() => {
    if (namespace !== undefined && namespace !== namespaceNow.value) namespaceNow.set(namespace);
  }, [namespace]);
  return (
    <Shell current={found?.pattern ?? ''}>{found ? <Framed key={path} {...found} /> : <Absent path={path} />}</Shell>
  );
}

interface Found {
  readonly pattern: string;
  readonly page: (typeof PAGES)[number][1];
  readonly parameters: Parameters;
}

function pageAt(path: string): Found | undefined {
  for (const [pattern, page] of PAGES) {
    const parameters = matched(pattern, path);
    if (parameters) return { pattern, page, parameters };
  }
  return undefined;
}

/** A defect of one page leaves the navigation usable. */
function Framed({ page: Body, parameters }: Found) {
  const caught: readonly [error: unknown, again: () => void] = useErrorBoundary();
  const [error, again] = caught;
  if (error === undefined) return <Body parameters={parameters} />;
  return (
    <Page title="This page failed">
      <Failure failure={asFailure(error)} again={again} />
    </Page>
  );
}

function Absent({ path }: { readonly path: string }) {
  return (
    <Page title="No such page">
      <Empty>
        <bdi>{path}</bdi> is no page of the inspector. <a href="/">Go to the overview</a>
      </Empty>
    </Page>
  );
}
