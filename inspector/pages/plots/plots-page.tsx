import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function PlotsPage() {
  return (
    <Page title="Plots">
      <Empty>This page is not there yet. The command line and the clients have what it will show.</Empty>
    </Page>
  );
}
