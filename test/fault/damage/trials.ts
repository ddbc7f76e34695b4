import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { type Answers, askAll } from './ask.ts';
import { damagePage, FAULTS, type Page, pagesOf, putBackPage, stalePagesOf } from './pages.ts';
import { type Ranker, startServer } from './server.ts';
import { fill, olderThan, type Stored } from './stored.ts';

/** Runs `count` trials from `first` on; each damages pages of a copy of the same folder, and asks for everything. */
const [count = '40', seed = '1', first = '0'] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), 'mneme-pages-'));
const template = join(folder, 'template');
let now = 'before the first trial';
const crashes: string[] = [];
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: Error) => crashes.push(`${now}: ${event}: ${error?.stack ?? error}`));
}

/** One in so many trials puts an older page back. */
const STALE_EACH = 4;
/** The order that needs no texts in memory starts soonest. */
const ranker = (trial: number): Ranker => (trial % 5 === 0 ? 'learned' : 'fusion');
const stored = await fill(template, seededRandom('memories', 'damage'));
const pages = pagesOf(template);
const stalePages = stalePagesOf(template, olderThan(template));
if (stalePages.length === 0) throw new Error('no page has fewer rows in the older copy');
const owners = [...new Set(pages.map(({ owner }) => owner))].sort();
for (let trial = Number(first); trial < Number(first) + Number(count); trial++) await runTrial(trial);
rmSync(folder, { recursive: true });
process.exit(0);

async function runTrial(trial: number): Promise<void> {
  const random = seededRandomOf(trial);
  const isStale = trial % STALE_EACH === STALE_EACH - 1;
  const chosen = random.chance(0.4) ? random.pick(pages) : random.pick(pages.filter(ownedBy(random.pick(owners))));
  const page = isStale ? random.pick(stalePages) : chosen;
  const [fault, damage] = isStale
    ? ['stale', (folder: string) => putBackPage(folder, page, olderThan(template))]
    : faultOf(page, random);
  // A running server keeps pages, and would not notice an older one before it reads it again.
  const isRunning = random.chance(0.4) && !isStale;
  now = `trial ${trial} (${fault} ${page.kind} page ${page.number} of ${page.owner}, ${isRunning ? 'running' : 'stopped'})`;
  const copy = join(folder, `trial-${trial}`);
  cpSync(template, copy, { recursive: true });
  const startedAtMs = Date.now();
  const result = await answersOf(copy, { isRunning, ranker: ranker(trial), damage: () => damage(copy) }, stored);
  rmSync(copy, { recursive: true, force: true });
  const line = { trial: now, ...result, crashes: crashes.splice(0), ms: Date.now() - startedAtMs };
  process.stdout.write(`LINE ${JSON.stringify(line)}\n`);
}

async function answersOf(
  copy: string,
  { isRunning, ranker, damage }: { isRunning: boolean; ranker: Ranker; damage: () => void },
  all: Stored,
): Promise<Partial<Answers> & { refusedStart?: string; isToldInHealth?: boolean }> {
  if (!isRunning) damage();
  let server: Awaited<ReturnType<typeof startServer>>;
  try {
    server = await startServer(copy, ranker);
  } catch (error) {
    const { message } = error as Error;
    // One line that says what to do.
    const isClear = /mneme repair/.test(message) && !message.includes('\n');
    return isClear ? { refusedStart: message } : { refusedStart: message, faults: [`start: ${message}`] };
  }
  try {
    if (isRunning) damage();
    const answers = await askAll(server.mneme, all, ranker);
    const { degraded } = await server.mneme.admin.getServerInfo();
    if (answers.reportCount > 0 && degraded.length === 0) answers.faults.push('health: says nothing of the damage');
    return answers;
  } finally {
    await server.stop().catch((error: Error) => crashes.push(`stop: ${error.stack}`));
  }
}

function faultOf(page: Page, random: TestRandom): [string, (folder: string) => void] {
  const fault = random.pick(FAULTS);
  return [fault, (folder) => damagePage(folder, page, fault, random)];
}

function ownedBy(owner: string): (page: Page) => boolean {
  return (page) => page.owner === owner;
}

function seededRandomOf(trial: number): TestRandom {
  return seededRandom('damaged pages', `${seed}-${trial}`);
}
