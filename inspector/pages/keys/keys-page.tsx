import { ENTRIES } from '../../app/navigation.ts';
import { Page } from '../../ui/page.tsx';

export function KeysPage() {
  const keys: [string, string][] = [
    ['/', 'search in the page'],
    ['?', 'this page'],
    ['Escape', 'close a dialog'],
  ];
  return (
    <Page title="Keys">
      <section class="panel">
        <table>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Does</th>
            </tr>
          </thead>
          <tbody>
            {keys.map(([key, does]) => (
              <tr key={key}>
                <td>
                  <kbd>{key}</kbd>
                </td>
                <td>{does}</td>
              </tr>
            ))}
            {ENTRIES.map(({ key, title }) => (
              <tr key={key}>
                <td>
                  <kbd>g</kbd> <kbd>{key}</kbd>
                </td>
                <td>go to {title}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="quiet">In a list of memories the arrow keys, Page Up, Page Down, Home and End move, and Enter opens.</p>
    </Page>
  );
}
