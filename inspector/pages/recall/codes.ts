import { jsonOf, type Settings } from './settings.ts';

/** Where the server is: as clients write it, and as HTTP does. */
export interface Place {
  readonly host: string;
  readonly origin: string;
}

/** Signs that are not seen, or that turn what follows: some compilers refuse them in a text. */
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;

/** The same recall as a command and in each client, with every setting. */
export function codesFor(
  { host, origin }: Place,
  namespace: string,
  text: string,
  settings: Settings,
): Readonly<Record<string, string>> {
  const body = visible(JSON.stringify(jsonOf(namespace, text, settings))).replaceAll("'", String.raw`'\''`);
  const [at, of] = [quoted(host), quoted(namespace)];
  const time = settings.asOf === '' ? undefined : new Date(settings.asOf);
  const optionsIn = (language: Language) => optionsOf(language, settings, time);
  const python = [quoted(text), ...optionsIn(PYTHON)].join(', ');
  const typescript = [`text: ${quoted(text)}`, ...optionsIn(TYPESCRIPT)].join(', ');
  const go = [`Text: ${quoted(text)}`, ...optionsIn(GO)].join(', ');
  const rust = [...optionsIn(RUST), `..RecallQuery::from(${quotedInRust(text)})`].join(', ');
  return {
    curl: `curl -H 'content-type: application/json' -d '${body}' \\\n  ${origin}/mneme.v1.RecallService/Recall`,
    Python: `${time ? 'from datetime import datetime\n\n' : ''}import mneme

with mneme.connect(${at}, namespace=${of}) as client:
    for hit in client.recall(${python}).hits:
        print(f"{hit.relevance:.2f} {hit.memory.text}")`,
    TypeScript: `import { connect } from '@mneme/client';

const mneme = connect(${at}, { namespace: ${of} });
const { hits } = await mneme.recall({ ${typescript} });
for (const { relevance, memory } of hits) console.log(relevance.toFixed(2), memory.text);
await mneme.close();`,
    Go: `client, err := mneme.Connect(${at}, mneme.WithNamespace(${of}))
if err != nil {
	return err
}
defer client.Close()
result, err := client.Recall(ctx, mneme.RecallQuery{${go}})`,
    Java: `try (Mneme mneme = Mneme.connect(${at}, new Options().namespace(${of}))) {
  for (Hit hit : mneme.recall(RecallQuery.of(${quoted(text)})${optionsIn(JAVA).join('')}).hits()) {
    System.out.printf("%.2f %s%n", hit.relevance(), hit.memory().text());
  }
}`,
    Rust: `let client = Client::connect(${quotedInRust(host)}).namespace(${quotedInRust(namespace)}).await?;
let query = RecallQuery { ${rust} };
for hit in &client.recall(query).await?.hits {
    println!("{:.2} {}", hit.relevance, hit.memory.text);
}`,
  };
}

/** How a language writes each setting that is not the default. */
type Language = {
  readonly [Name in Exclude<keyof Settings, 'ranking' | 'groupBy' | 'asOf'>]: (value: string) => string;
} & {
  readonly ranking: string;
  readonly groupBy: string;
  readonly asOf: (time: Date) => string;
};

function optionsOf(language: Language, settings: Settings, time: Date | undefined): string[] {
  const { limit, minRelevance, filter, ranking, diversity, groupBy } = settings;
  return [
    limit && language.limit(limit),
    minRelevance && language.minRelevance(minRelevance),
    filter && language.filter(filter),
    ranking && language.ranking,
    diversity && language.diversity(diversity),
    groupBy && language.groupBy,
    time ? language.asOf(time) : '',
  ].filter((option) => option !== '');
}

const PYTHON: Language = {
  limit: (n) => `limit=${n}`,
  minRelevance: (n) => `min_relevance=${n}`,
  filter: (text) => `filter=${quoted(text)}`,
  ranking: 'ranking="fusion"',
  diversity: (n) => `diversity=${n}`,
  groupBy: 'group_by="session"',
  asOf: (time) => `as_of=datetime.fromisoformat("${time.toISOString().replace('Z', '+00:00')}")`,
};
const TYPESCRIPT: Language = {
  limit: (n) => `limit: ${n}`,
  minRelevance: (n) => `minRelevance: ${n}`,
  filter: (text) => `filter: ${quoted(text)}`,
  ranking: "ranking: 'fusion'",
  diversity: (n) => `diversity: ${n}`,
  groupBy: "groupBy: 'session'",
  asOf: (time) => `asOf: '${time.toISOString()}'`,
};
const GO: Language = {
  limit: (n) => `Limit: ${n}`,
  minRelevance: (n) => `MinRelevance: mneme.Ptr(${decimal(n)})`,
  filter: (text) => `Filter: mneme.FilterText(${quoted(text)})`,
  ranking: 'Ranking: mneme.RankingFusion',
  diversity: (n) => `Diversity: ${n}`,
  groupBy: 'GroupBy: mneme.GroupingSession',
  asOf: (time) => `AsOf: time.UnixMilli(${time.getTime()})`,
};
const JAVA: Language = {
  limit: (n) => `.limit(${n})`,
  minRelevance: (n) => `.minRelevance(${n})`,
  filter: (text) => `.filter(Filter.text(${quoted(text)}))`,
  ranking: '.ranking(RecallQuery.Ranking.FUSION)',
  diversity: (n) => `.diversity(${n})`,
  groupBy: '.groupBy(RecallQuery.Grouping.SESSION)',
  asOf: (time) => `.asOf(Instant.parse("${time.toISOString()}"))`,
};
const RUST: Language = {
  limit: (n) => `limit: Some(${n})`,
  minRelevance: (n) => `min_relevance: Some(${decimal(n)})`,
  filter: (text) => `filter: Some(${quotedInRust(text)}.into())`,
  ranking: 'ranking: Some(Ranking::Fusion)',
  diversity: (n) => `diversity: Some(${decimal(n)})`,
  groupBy: 'group_by: Some(Grouping::Session)',
  asOf: (time) => `as_of: Some("${time.toISOString()}".parse()?)`,
};

/** A number of these languages with a point is no whole number. */
function decimal(text: string): string {
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function quoted(text: string): string {
  return visible(JSON.stringify(text));
}

/** Rust writes signs by their numbers in braces. */
function quotedInRust(text: string): string {
  return quoted(text).replace(/\\(?:\\|u(?<hex>[0-9a-f]{4})|b|f)/g, (sign, hex?: string) => {
    if (hex !== undefined) return `\\u{${hex}}`;
    if (sign === '\\b') return '\\u{8}';
    return sign === '\\f' ? '\\u{c}' : sign;
  });
}

function visible(text: string): string {
  return text.replace(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
