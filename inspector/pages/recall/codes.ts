import { jsonOf, type Settings } from './settings.ts';

/** The same recall as a command and in each client; settings that the clients spell differently are those of curl alone. */
export function codesFor(namespace: string, text: string, settings: Settings): Readonly<Record<string, string>> {
  const { host, origin } = location;
  const { limit, minRelevance, filter } = settings;
  const q = (value: string) => JSON.stringify(value);
  const options = (each: Readonly<Record<'limit' | 'minRelevance' | 'filter', string>>) =>
    [
      limit === '' ? '' : each.limit,
      minRelevance === '' ? '' : each.minRelevance,
      filter === '' ? '' : each.filter,
    ].filter((option) => option !== '');
  const typescript = [
    `text: ${q(text)}`,
    ...options({
      limit: `limit: ${limit}`,
      minRelevance: `minRelevance: ${minRelevance}`,
      filter: `filter: ${q(filter)}`,
    }),
  ];
  const python = [
    q(text),
    ...options({
      limit: `limit=${limit}`,
      minRelevance: `min_relevance=${minRelevance}`,
      filter: `filter=${q(filter)}`,
    }),
  ];
  const go = [
    `Text: ${q(text)}`,
    ...options({
      limit: `Limit: ${limit}`,
      minRelevance: `MinRelevance: mneme.Ptr(${minRelevance}.0)`.replace(/(\.\d+)\.0/, '$1'),
      filter: `Filter: mneme.FilterText(${q(filter)})`,
    }),
  ];
  const java = options({
    limit: `.limit(${limit})`,
    minRelevance: `.minRelevance(${minRelevance})`,
    filter: `.filter(Filter.text(${q(filter)}))`,
  });
  const rust = options({
    limit: `limit: Some(${limit})`,
    minRelevance: `min_relevance: Some(${minRelevance}.0)`.replace(/(\.\d+)\.0/, '$1'),
    filter: `filter: Some(${q(filter)}.into())`,
  });
  const body = JSON.stringify(jsonOf(namespace, text, settings)).replaceAll("'", String.raw`'\''`);
  return {
    curl: `curl -H 'content-type: application/json' -d '${body}' \\\n  ${origin}/mneme.v1.RecallService/Recall`,
    Python: `import mneme

with mneme.connect(${q(host)}, namespace=${q(namespace)}) as client:
    for hit in client.recall(${python.join(', ')}).hits:
        print(f"{hit.relevance:.2f} {hit.memory.text}")`,
    TypeScript: `import { connect } from '@mneme/client';

const mneme = connect(${q(host)}, { namespace: ${q(namespace)} });
const { hits } = await mneme.recall({ ${typescript.join(', ')} });
for (const { relevance, memory } of hits) console.log(relevance.toFixed(2), memory.text);
await mneme.close();`,
    Go: `client, err := mneme.Connect(${q(host)}, mneme.WithNamespace(${q(namespace)}))
if err != nil {
	return err
}
defer client.Close()
result, err := client.Recall(ctx, mneme.RecallQuery{${go.join(', ')}})`,
    Java: `try (Mneme mneme = Mneme.connect(${q(host)}, new Options().namespace(${q(namespace)}))) {
  for (Hit hit : mneme.recall(RecallQuery.of(${q(text)})${java.join('')}).hits()) {
    System.out.printf("%.2f %s%n", hit.relevance(), hit.memory().text());
  }
}`,
    Rust: `let client = Client::connect(${q(host)}).namespace(${q(namespace)}).await?;
let query = RecallQuery { ${[...rust, `..RecallQuery::from(${q(text)})`].join(', ')} };
for hit in &client.recall(query).await?.hits {
    println!("{:.2} {}", hit.relevance, hit.memory.text);
}`,
  };
}
