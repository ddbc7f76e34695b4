import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function SessionsPage() {
  return (
    <Page title="Sessions">
      <Empty>This page is not there yet. The command line and the clients have what it will show.</Empty>
    </Page>
  );
}
