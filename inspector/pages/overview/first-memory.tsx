import { CodeTabs } from '../../ui/code.tsx';

const TEXT = 'Ada plays the cello.';

/** How a first memory is stored, for an empty server: the same call in six forms. */
export function FirstMemory({ namespace }: { readonly namespace: string }) {
  return (
    <section class="panel">
      <h2>Store the first memory</h2>
      <p>Nothing is stored yet. What you store now appears here without reloading.</p>
      <CodeTabs label="Store a memory" codes={codesFor(location.origin, location.host, namespace)} />
    </section>
  );
}

function codesFor(origin: string, host: string, namespace: string): Readonly<Record<string, string>> {
  const body = JSON.stringify({ parent: `namespaces/${namespace}`, memory: { text: TEXT } });
  return {
    curl: `curl -H 'content-type: application/json' -d '${body}' \\\n  ${origin}/mneme.v1.MemoryService/StoreMemory`,
    Python: `import mneme

with mneme.connect("${host}", namespace="${namespace}") as client:
    client.store("${TEXT}")`,
    TypeScript: `import { connect } from '@mneme/client';

const mneme = connect('${host}', { namespace: '${namespace}' });
await mneme.store({ text: '${TEXT}' });
await mneme.close();`,
    Go: `client, err := mneme.Connect("${host}", mneme.WithNamespace("${namespace}"))
if err != nil {
	return err
}
defer client.Close()
_, err = client.Store(ctx, mneme.NewMemory{Text: "${TEXT}"})`,
    Java: `try (Mneme mneme = Mneme.connect("${host}", new Options().namespace("${namespace}"))) {
  mneme.store(NewMemory.of("${TEXT}"));
}`,
    Rust: `let client = Client::connect("${host}").namespace("${namespace}").await?;
client.store(NewMemory::text("${TEXT}")).await?;`,
  };
}
