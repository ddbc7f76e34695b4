import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { codesFor } from '../../inspector/pages/recall/codes.ts';
import { matchedWords, stemFinder } from '../../inspector/pages/recall/matched-words.ts';
import { settingsIn } from '../../inspector/pages/recall/settings.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';

const run = promisify(execFile);
const root = (path: string) => new URL(`../../${path}`, import.meta.url);

/** All settings, and a question that each language has to quote. */
const ALL = settingsIn(
  new URLSearchParams(
    'limit=3&minRelevance=0&filter=type+%3D+"fact"&ranking=fusion&diversity=1&groupBy=session&asOf=2031-02-03T04:05Z',
  ),
  '',
);
const QUESTION = `Who plays "the" cello? \\n ' \n \u202e \u0007 ü 🎻`;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const mneme = connect(server.address);
  await mneme.store({ text: 'Ada plays the cello.', type: 'fact' });
  await mneme.close();
});
afterAll(() => server.stop());

function codesOf(text: string, settings = ALL) {
  return codesFor({ host: server.address, origin: `http://${server.address}` }, 'default', text, settings);
}

describe('codes of a recall', () => {
  it('for TypeScript › find what the page finds', async () => {
    const client = root('clients/typescript/src/index.ts').href;
    const code = (codesOf(QUESTION)['TypeScript'] ?? '').replace('@mneme/client', client);
    const { stdout } = await run(process.execPath, ['--no-warnings', '--input-type=module-typescript', '-e', code]);

    expect(stdout).toMatch(/^\d\.\d\d Ada plays the cello\.\n$/);
  });

  it('for a shell › find what the page finds', async () => {
    const { stdout } = await run('sh', ['-c', `${codesOf(QUESTION)['curl']} -s`]);

    expect(JSON.parse(stdout)).toMatchObject({ hits: [{ memory: { text: 'Ada plays the cello.' } }] });
  });

  it('for Python › have all settings, under the names of the client', async () => {
    const stub = `
import contextlib, json, sys, types
class Client:
    def recall(self, text, **options):
        print(json.dumps([text, options], default=str))
        return types.SimpleNamespace(hits=[])
module = types.ModuleType("mneme")
module.connect = lambda host, namespace: contextlib.nullcontext(Client())
sys.modules["mneme"] = module
`;
    const { stdout } = await run('python3', ['-c', stub + codesOf(QUESTION)['Python']]);
    const [text, options] = JSON.parse(stdout) as [string, Record<string, unknown>];
    const source = readFileSync(root('clients/python/src/mneme/recall.py'), 'utf8');

    expect(text).toBe(QUESTION);
    expect(options).toEqual({
      limit: 3,
      min_relevance: 0,
      filter: 'type = "fact"',
      ranking: 'fusion',
      diversity: 1,
      group_by: 'session',
      as_of: '2031-02-03 04:05:00+00:00',
    });
    for (const name of Object.keys(options)) expect(source).toContain(`\n    ${name}: `);
  });

  it('for Go, Java and Rust › have all settings, and texts as each language quotes them', () => {
    const codes = codesOf('\u202e\u0007\b\\u0041');

    expect(codes['Go']).toContain(
      'RecallQuery{Text: "\\u202e\\u0007\\b\\\\u0041", Limit: 3, MinRelevance: mneme.Ptr(0.0), ' +
        'Filter: mneme.FilterText("type = \\"fact\\""), Ranking: mneme.RankingFusion, Diversity: 1, ' +
        'GroupBy: mneme.GroupingSession, AsOf: time.UnixMilli(1927857900000)}',
    );
    expect(codes['Java']).toContain(
      '.limit(3).minRelevance(0).filter(Filter.text("type = \\"fact\\"")).ranking(RecallQuery.Ranking.FUSION)' +
        '.diversity(1).groupBy(RecallQuery.Grouping.SESSION).asOf(Instant.parse("2031-02-03T04:05:00.000Z"))',
    );
    expect(codes['Rust']).toContain(
      'RecallQuery { limit: Some(3), min_relevance: Some(0.0), filter: Some("type = \\"fact\\"".into()), ' +
        'ranking: Some(Ranking::Fusion), diversity: Some(1.0), group_by: Some(Grouping::Session), ' +
        'as_of: Some("2031-02-03T04:05:00.000Z".parse()?), ..RecallQuery::from("\\u{202e}\\u{0007}\\u{8}\\\\u0041") }',
    );
  });

  it('have nothing of an address that is no setting', () => {
    const query = new URLSearchParams('limit=1);evil(&minRelevance=x&diversity=Infinity&ranking=a&groupBy=b&asOf=c');
    expect(new Set(Object.values(settingsIn(query, '')))).toEqual(new Set(['']));
  });
});

describe('words of a text that matched', () => {
  it.each([
    ['Ada played; playing is PLAY. Display', ['plai'], ['played', 'playing', 'play']],
    ['Der Kater und die KÄTZCHEN', ['_de_katz'], ['kätzchen']],
    ['我喜欢音乐', ['喜欢'], ['我喜欢音乐']],
    ['in 2026, not 12026', ['2026'], ['2026']],
    ['nothing', [], []],
  ])('%j %j', (text, stems, words) => {
    expect([...matchedWords(text, stemFinder(stems)).keys()]).toEqual(words);
  });
});
