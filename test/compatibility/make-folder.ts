/**
 * Makes a fixture of `former-folder.test.ts` with the version that is checked out:
 * node test/compatibility/make-folder.ts test/fixtures/folder-YYYY-MM
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Content, connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { folderContents, vectorOf } from './folder-contents.ts';

const TEXTS = [
  'Nina works as a nurse in Bergen',
  'The harbour was closed because of a storm',
  'Tom plays the cello on Fridays',
  'The invoice of March is not paid',
  'Anna is allergic to peanuts',
  'The market opens at seven',
  'Paul sold his old bicycle',
  'The lamp in the attic is broken',
  'Our train to Oslo leaves at noon',
  'Maria has painted the garden gate blue',
  'The winter was long and cold',
  'A letter from the bank has come',
];
const START_MS = Date.parse('2026-11-01T08:00:00Z');
const HOUR_MS = 3_600_000;

const embedding = (n: number) => ({ model: 'fixture', values: vectorOf(n) });

/** Enough for a graph with `--max-exact-vectors 8`; replaced, deleted and demoted ones among them. */
async function storeVectors(mneme: Mneme): Promise<void> {
  await mneme.batchStore(
    TEXTS.map((text, n) => ({
      id: `v${n}`,
      text,
      embedding: embedding(n),
      eventTime: new Date(START_MS + n * HOUR_MS),
      step: n,
      importance: (n % 5) / 5,
      tags: n % 2 ? ['odd'] : ['even', 'kept'],
      scope: { project: 'p', agent: n % 3 ? 'a' : 'b', session: `s${n % 2}` },
      source: { speaker: n % 2 ? 'Nina' : 'Tom', uri: `turn:${n}` },
    })),
  );
  await mneme.delete('v11');
  await mneme.update('v5', { text: 'The market opens at eight', importance: 0.9 });
  await mneme.supersede('v6', { id: 'v6-now', text: 'Paul has a new bicycle', embedding: embedding(20) });
  await mneme.demote(['v1', 'v2'], { toTier: 'long_term' });
  await mneme.demote(['v3'], { toTier: 'intermediate' });
}

async function storeTexts(mneme: Mneme): Promise<void> {
  const long = Array.from({ length: 40 }, (_, n) => `Paragraph ${n} is about ${n * 7}. ${TEXTS[n % TEXTS.length]}.`);
  await mneme.batchStore([
    { id: 'state-1', type: 'state', content: { position: [100, 100], health: 0.8, room: 'hall' }, step: 1 },
    { id: 'state-2', type: 'state', content: { position: [101, 99], health: 0.7, room: 'hall' }, step: 2 },
    { id: 'state-3', type: 'state', content: { position: [100, 5], health: 0.9, room: 'attic' }, step: 3 },
    {
      id: 'bytes',
      text: 'a picture of the garden',
      content: new Content('image/png', Uint8Array.of(137, 80, 78, 71, 0, 1, 2, 255)),
    },
    {
      id: 'episode',
      type: 'episode',
      text: 'We moved the boat to the harbour',
      validFrom: new Date(START_MS),
      validUntil: new Date(START_MS + 1e6 * HOUR_MS),
    },
    { id: 'placed', text: 'Lunch at the fish market', place: { geo: { latitudeDeg: 60.39, longitudeDeg: 5.32 } } },
    { id: 'long', text: [...long, 'The password of the boat house is herring.'].join(' ') },
    { id: 'unicode', text: '東京の天気は晴れです' },
  ]);
  await mneme.conversations.append('talk', [
    { role: 'user', text: 'My cat is named Mimi' },
    { role: 'assistant', text: 'Mimi is a good name' },
    { role: 'user', text: 'She likes tuna' },
  ]);
  await mneme.facts.assertFact({ subject: 'user', attribute: 'home_city', value: 'Bergen' });
  await mneme.facts.assertFact({ subject: 'user', attribute: 'home_city', value: 'Oslo' });
  const wm = mneme.session('s');
  await wm.set('goal', { done: false });
  await wm.appendScratchpad(['one', 'two']);
  await wm.createCheckpoint({ checkpointId: 'before', description: 'start' });
}

const to = process.argv[2];
if (to === undefined) throw new Error('which folder?');
const data = mkdtempSync(join(tmpdir(), 'mneme-fixture-'));
const server = await startMneme({ data, flags: ['--max-exact-vectors', '8'] });
const mneme = connect(server.address);
await storeVectors(mneme.withNamespace('vectors'));
await storeTexts(mneme.withNamespace('texts'));
mkdirSync(to, { recursive: true });
writeFileSync(join(to, 'expected.json'), `${JSON.stringify(await folderContents(mneme))}\n`);
await mneme.close();
await server.stop();
cpSync(join(data, 'vectors'), join(to, 'vectors'), { recursive: true });
writeFileSync(join(to, 'mneme.db.gz'), gzipSync(readFileSync(join(data, 'mneme.db')), { level: 9 }));
rmSync(data, { recursive: true });
