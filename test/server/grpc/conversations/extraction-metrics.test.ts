import { afterEach, expect, it } from '@jest/globals';
import { LineExtractor } from '../../../support/line-extractor.ts';
import { extractionStatus, flush, talk } from '../support/conversations.ts';
import { freshNamespace } from '../support/memories.ts';
import { scrape } from '../support/scrape.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer | undefined;
afterEach(() => mneme?.stop());

it('the metrics of extraction › count turns that wait, are extracted, fail and are given up, and facts by their effect', async () => {
  const extractor = new LineExtractor();
  const settings = { metricsListen: '127.0.0.1:0', extractor: 'rules', extractionAttempts: '2' };
  mneme = await startTestServer(settings, { extractors: { rules: extractor } });
  const parent = freshNamespace();
  const { say } = talk(mneme, parent);
  expect((await scrape(mneme)).get('mneme_extraction_oldest_waiting_seconds')).toBe(0);

  await say('user home_city Graz', 'user home_city Porto');
  // Answers when the messages have been read.
  await extractionStatus(mneme, parent);
  const waiting = await scrape(mneme);
  expect(waiting.get('mneme_extraction_turns_waiting')).toBe(2);
  expect(waiting.get('mneme_extraction_oldest_waiting_seconds')).toBeGreaterThanOrEqual(0);

  await flush(mneme, parent);
  await say('user home_city Porto', 'broken');
  extractor.poisoned.add('broken');
  await flush(mneme, parent);
  const metrics = await scrape(mneme);
  const turns = (outcome: string) =>
    metrics.get(`mneme_extraction_turns_total{extractor="rules",outcome="${outcome}"}`);
  const facts = (outcome: string) => metrics.get(`mneme_extraction_facts_total{outcome="${outcome}"}`);
  expect([turns('extracted'), turns('dead_letter')]).toEqual([3, 1]);
  expect(turns('failed')).toBeGreaterThan(0);
  expect([facts('created'), facts('superseded'), facts('reinforced')]).toEqual([2, 1, 1]);
  const batches = metrics.get('mneme_extraction_duration_seconds_count{extractor="rules",outcome="extracted"}');
  expect(batches).toBeGreaterThanOrEqual(2);
  expect(metrics.get('mneme_extraction_turns_waiting')).toBe(0);
  const labels = [...metrics.keys()].filter((key) => key.includes('extractor='));
  expect(labels.every((key) => key.includes('extractor="rules"'))).toBe(true);
});
