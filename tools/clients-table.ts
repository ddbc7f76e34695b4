/**
 * Writes the table of every method of the API and every convenience in each language into docs/clients.md, from the sources of
 * the clients; with --check only compares. Names what a client lacks, but for the services and methods of clients/not-yet.json:
 * `make clients-table`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { CALLS, camel, pascal, snake } from './call-names.ts';

const PAGE = 'docs/clients.md';
const BEGIN = '<!-- calls -->\n';
const END = '<!-- end of calls -->\n';

/** How a language writes names and declares what has them. `container` is what the declarations after it belong to. */
interface Language {
  readonly title: string;
  readonly sources: string;
  readonly extension: string;
  readonly name: (snake: string) => string;
  readonly declares: (name: string) => RegExp;
  readonly container: RegExp;
}

const LANGUAGES: readonly Language[] = [
  {
    title: 'TypeScript',
    sources: 'clients/typescript/src',
    extension: '.ts',
    name: camel,
    declares: (name) =>
      new RegExp(`^(?: {2}(?:readonly )?|export (?:async )?(?:function|const) )${name}[<(: ]|^ {2}(?:type )?${name},$`),
    container: /^export (?:async )?(?:interface|class|const|function) (\w+)/,
  },
  {
    title: 'Python',
    sources: 'clients/python/src',
    extension: '.py',
    name: snake,
    declares: (name) => new RegExp(`^\\s*(?:async )?def ${name}\\(|^${name}\\b.*=|^ {4}${name}:`),
    container: /^class (\w+)/,
  },
  {
    title: 'Go',
    sources: 'clients/go',
    extension: '.go',
    name: pascal,
    declares: (name) => new RegExp(`^func (?:\\([^)]*\\) )?${name}[[(]|^\\t${name}\\s+\\S|^\\s*(?:var )?${name}\\s*=`),
    container: /^func \(\w* ?\*?(\w+)|^type (\w+)/,
  },
  {
    title: 'Java',
    sources: 'clients/java/src/main',
    extension: '.java',
    name: camel,
    declares: (name) =>
      new RegExp(`^\\s+(?:(?:public|static|default|final) )*(?:<[^>]+> )?[\\w.<>\\[\\], ?]+ ${name}\\(`),
    container: /^(?:public |final |abstract |sealed )*(?:class|interface|record|enum) (\w+)/,
  },
  {
    title: 'Rust',
    sources: 'clients/rust/src',
    extension: '.rs',
    name: snake,
    declares: (name) => new RegExp(`^\\s*pub (?:async |const )*(?:fn|mod) ${name}[<( ]`),
    container: /^impl(?:<[^>]*>)? (?:\w+ for )?(\w+)|^pub (?:trait|struct|mod) (\w+)/,
  },
];

/** What the calls of a group are declared in, by a part of its name. */
const GROUPS: Readonly<Record<string, RegExp>> = {
  namespaces: /namespace/i,
  admin: /admin|maintenance/i,
  scopes: /scope/i,
  agents: /agent/i,
  subscriptions: /subscription/i,
  lifecycle: /lifecycle|lives/i,
  session: /working|session|checkpoint/i,
  conversations: /conversation|extractor/i,
  facts: /fact/i,
  episodes: /episode/i,
  procedures: /procedure/i,
  consolidation: /consolidation/i,
};
const OF_NO_GROUP =
  /^(?!.*(?:namespace|admin|maintenance|scope|agent|subscription|lifecycle|lives|working|checkpoint|conversation|extractor|fact|episode|procedure|consolidation))/i;

/** Beside the calls; some have another name in a language. */
const CONVENIENCES: Readonly<
  Record<string, { readonly what: string; readonly other?: Readonly<Record<string, string>> }>
> = {
  connect: { what: 'one line to connect' },
  close: { what: 'ends the connection' },
  session: { what: 'working memory of a session' },
  with_namespace: { what: 'the same client for another namespace' },
  raw: { what: 'any unary method by the generated stubs', other: { Go: 'Conn' } },
  where: { what: 'typed filters', other: { Go: 'Where', Java: 'Where', Rust: 'field' } },
  path: { what: 'filters on JSON content' },
  all_of: { what: 'filters joined by and' },
  any_of: { what: 'filters joined by or' },
  negate: { what: 'a filter turned around' },
  within: { what: 'filters on places' },
  start_server: { what: 'a server for tests', other: { Java: 'start' } },
};

const sourcesOf = new Map<Language, readonly { readonly container: string; readonly line: string }[]>();

function linesOf(language: Language) {
  const known = sourcesOf.get(language);
  if (known) return known;
  const lines = existsSync(language.sources) ? [...declarationsIn(language)] : [];
  sourcesOf.set(language, lines);
  return lines;
}

function* declarationsIn({ sources, extension, container }: Language) {
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith(extension) || /(?:^|[/_])(?:v1|mnemev1|gen|test|tests)\//.test(file)) continue;
    let within = '';
    for (const line of readFileSync(join(sources, file), 'utf8').split('\n')) {
      const named = container
        .exec(line)
        ?.slice(1)
        .find((each) => each !== undefined);
      within = named ?? within;
      yield { container: within, line };
    }
  }
}

/** The name of a call as a language has it, or `undefined` where it has none. */
function nameIn(language: Language, group: string, name: string): string | undefined {
  const spelled = language.name(name);
  const declares = language.declares(spelled);
  const of = GROUPS[group] ?? OF_NO_GROUP;
  const isThere = linesOf(language).some(({ container, line }) => of.test(container) && declares.test(line));
  if (!isThere) return undefined;
  return group === '' ? spelled : `${language.name(group)}.${spelled}`;
}

function conveniencesIn(language: Language, name: string): string | undefined {
  const spelled = CONVENIENCES[name]?.other?.[language.title] ?? language.name(name);
  const declares = language.declares(spelled);
  return linesOf(language).some(({ line }) => declares.test(line)) ? spelled : undefined;
}

/** A client that has no driver of the contract test is still being made. */
const present = LANGUAGES.filter(({ title }) => existsSync(`clients/${title.toLowerCase()}/contract-driver`));
const holes: string[] = [];

/** Services and methods that a client does not have yet, by the title of its language. */
const notYet = JSON.parse(readFileSync('clients/not-yet.json', 'utf8')) as Record<string, readonly string[]>;

function isAwaited({ title }: Language, method: string): boolean {
  const [service = ''] = method.split('.');
  return notYet[title]?.some((name) => name === service || name === method) ?? false;
}

function row(what: string, find: (language: Language) => string | undefined): string {
  const cells = present.map((language) => {
    const name = find(language);
    if (name === undefined && !isAwaited(language, what)) holes.push(`${language.title}: ${what}`);
    return name === undefined ? '–' : `\`${name}\``;
  });
  return `| ${[what, ...cells].join(' | ')} |\n`;
}

function table(head: string, rows: readonly string[]): string {
  const titles = [head, ...present.map(({ title }) => title)];
  return `| ${titles.join(' | ')} |\n|${'---|'.repeat(titles.length)}\n${rows.join('')}`;
}

const image = fromBinary(FileDescriptorSetSchema, readFileSync('gen/image.binpb'));
const methods = image.file
  .filter(({ package: name }) => name === 'mneme.v1')
  .flatMap(({ service }) => service)
  .flatMap(({ name: service, method }) => method.map(({ name }) => `${service}.${name}`));
const callRows = methods.flatMap((method) => {
  const named = CALLS.filter(([, rpc]) => rpc === method);
  if (named.length === 0) {
    const isMissing = !present.every((language) => isAwaited(language, method));
    if (isMissing) holes.push(`clients/calls.json: ${method}`);
    return [row(method, () => undefined)];
  }
  return named.map(([call]) => {
    const [group = '', name = ''] = call.includes('.') ? call.split('.') : ['', call];
    return row(method, (language) => nameIn(language, group, name));
  });
});
const otherRows = Object.entries(CONVENIENCES).map(([name, { what }]) =>
  row(what, (language) => conveniencesIn(language, name)),
);
const made = `${BEGIN}${table('Method', callRows)}\n${table('Beside the methods', otherRows)}${END}`;
const page = readFileSync(PAGE, 'utf8');
const [before = '', rest = ''] = page.split(BEGIN);
const [, after = ''] = rest.split(END);
const wanted = `${before}${made}${after}`;
const isCheck = process.argv.includes('--check');
if (page !== wanted && isCheck) console.log(`${PAGE} is not what the sources say`);
if (page !== wanted && !isCheck) writeFileSync(PAGE, wanted);
for (const hole of holes) console.log(`missing: ${hole}`);
if (holes.length > 0 || (page !== wanted && isCheck)) process.exitCode = 1;
