import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataLossError, type Mneme, type RecallQuery, where } from '../../clients/typescript/src/index.ts';
import { seededRandom } from '../support/random.ts';
import { damagePage, type Page, pagesOf } from './damage/pages.ts';
import { startServer } from './damage/server.ts';
import { fill, QUESTIONS, SPACES } from './damage/stored.ts';

/** Parts of recall that are still being read after a start. */
const WARMING = new Set(['encoder', 'ranker', 'passages']);
const NAMED = expect.stringContaining('mneme verify');
const random = seededRandom('damaged recall');

let folder: string;
let template: string;
let pages: Page[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-damaged-recall-'));
  template = join(folder, 'template');
  await fill(template, seededRandom('memories', 'damage'));
  pages = pagesOf(template);
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [text = ''] = QUESTIONS;
const QUERIES: readonly RecallQuery[] = [
  { text },
  { text, filter: where.tag.equals('t3') },
  { text, filter: where.text.contains('cello') },
  { embedding: { model: 'm', values: Array.from({ length: 16 }, () => 0.5) } },
  { filter: where.agent.equals('ada') },
  { text, nearTime: { time: new Date(0) } },
];

/** What recalls say about damage. */
async function reportsOf(mneme: Mneme): Promise<string[]> {
  const reports: string[] = [];
  for (const query of QUERIES) {
    try {
      const { degraded, damagedIds } = await mneme.recall({ limit: 50, minRelevance: 0, ...query });
      reports.push(...degraded.map(({ part }) => part).filter((part) => !WARMING.has(part)), ...damagedIds);
    } catch (error) {
      if (!(error instanceof DataLossError)) throw error;
      reports.push(error.message);
    }
  }
  return reports;
}

/** Tables and indexes that recalls read before any other call does. */
const OWNERS = [
  'memory_event',
  'memory_tag',
  'memory_words_data',
  'memory_words_idx',
  'memory_words_docsize',
  'memory_body',
];

describe('a damaged page that only Recall reads', () => {
  /** Owners whose damage recalls have named. */
  const named: string[] = [];

  it.each(OWNERS)('%s › where an answer names damage, GetServerInfo does', async (owner) => {
    const page = random.pick(pages.filter((one) => one.owner === owner));
    const copy = join(folder, owner);
    cpSync(template, copy, { recursive: true });
    damagePage(copy, page, 'random', random);
    const server = await startServer(copy);
    try {
      const reports: string[] = [];
      for (const space of SPACES) reports.push(...(await reportsOf(server.mneme.withNamespace(space))));
      const { degraded } = await server.mneme.admin.getServerInfo();
      if (reports.length === 0) return;
      named.push(owner);
      expect([page.number, reports[0], degraded]).toEqual([page.number, reports[0], [NAMED]]);
    } finally {
      await server.stop();
    }
  });

  it('of these owners › is named for one at least', () => {
    expect(named).not.toEqual([]);
  });
});
