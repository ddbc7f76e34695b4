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
import type { Parameters } from './navigation.ts';

type PageComponent = FunctionComponent<{ readonly parameters: Parameters }>;

/** Every page by its path. */
export const PAGES: readonly (readonly [path: string, page: PageComponent])[] = [
  ['/', OverviewPage],
  ['/n/:namespace/memories', MemoriesPage],
  ['/n/:namespace/memories/:id', MemoryPage],
  ['/n/:namespace/recall', RecallPage],
  ['/n/:namespace/facts', FactsPage],
  ['/n/:namespace/conversations', ConversationsPage],
  ['/n/:namespace/sessions', SessionsPage],
  ['/n/:namespace/agents', AgentsPage],
  ['/n/:namespace/live', LivePage],
  ['/n/:namespace/plots', PlotsPage],
  ['/access', AccessPage],
  ['/keys', KeysPage],
];
