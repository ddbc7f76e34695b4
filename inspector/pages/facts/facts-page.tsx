import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function FactsPage() {
  return (
    <Page title="Facts">
      <Empty>This page is not there yet. The command line and the clients have what it will show.</Empty>
    </Page>
  );
}
