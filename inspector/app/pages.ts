import type { FunctionComponent } from 'preact';
import { AccessPage } from '../pages/access/access-page.tsx';
import { AgentsPage } from '../pages/agents/agents-page.tsx';
import { ConversationsPage } from '../pages/conversations/conversations-page.tsx';
import { FactsPage } from '../pages/facts/facts-page.tsx';
import { KeysPage } from '../pages/keys/keys-page.tsx';
import { LivePage } from '../pages/live/live-page.tsx';
import { MemoriesPage } from '../pages/memories/memories-page.tsx';
import { MemoryPage } from '../pages/memory/memory-page.tsx';
import { OverviewPage } from '../pages/overview/overview-page.tsx';
import { PlotsPage } from '../pages/plots/plots-page.tsx';
import { RecallPage } from '../pages/recall/recall-page.tsx';
import { SessionsPage } from '../pages/sessions/sessions-page.tsx';

export type Parameters = Readonly<Record<string, string>>;

export interface PageOf {
  /** Path with parameters, such as `/n/:namespace/memories`. */
  readonly path: string;
  readonly page: FunctionComponent<{ readonly parameters: Parameters }>;
  /** Entry of the navigation; absent for pages that others link to. */
  readonly title?: string;
  /** Key that opens the page after `g`. */
  readonly key?: string;
}

/** Every page, in the order of the navigation. */
export const PAGES: readonly PageOf[] = [
  { path: '/', page: OverviewPage, title: 'Overview', key: 'o' },
  { path: '/n/:namespace/memories', page: MemoriesPage, title: 'Memories', key: 'm' },
  { path: '/n/:namespace/memories/:id', page: MemoryPage },
  { path: '/n/:namespace/recall', page: RecallPage, title: 'Recall', key: 'r' },
  { path: '/n/:namespace/facts', page: FactsPage, title: 'Facts', key: 'f' },
  { path: '/n/:namespace/conversations', page: ConversationsPage, title: 'Conversations', key: 'c' },
  { path: '/n/:namespace/sessions', page: SessionsPage, title: 'Sessions', key: 's' },
  { path: '/n/:namespace/agents', page: AgentsPage, title: 'Agents', key: 'a' },
  { path: '/n/:namespace/live', page: LivePage, title: 'Live', key: 'l' },
  { path: '/n/:namespace/plots', page: PlotsPage, title: 'Plots', key: 'p' },
  { path: '/access', page: AccessPage, title: 'Access', key: 'x' },
  { path: '/keys', page: KeysPage },
];

/** Address of a page for a namespace. */
export function addressOf({ path }: PageOf, namespace: string): string {
  return path.replace(':namespace', encodeURIComponent(namespace));
}
