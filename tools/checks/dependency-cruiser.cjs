/** Interface files: what operations and engines may know of the technologies behind them. */
const CONTRACTS = [
  '^src/storage/(records|record-copies|record-log|reembedding-store|tiers|subscription-store)[.]ts$',
  '^src/storage/(call-context|view|with-methods)[.]ts$',
  '^src/storage/(agent-snapshots|current-call|hook-peers|job-leases|scope-policies|session-store|lifecycle-events)[.]ts$',
  // The contract and, over any backend that keeps it, what all who follow the log share.
  '^src/storage/change-log/',
  '^src/server/answer-cache/answer-cache[.]ts$',
  '^src/search/(recall/(recall-engine|keyword-index|namespace-source|filter-rows)|standing/standing-query)[.]ts$',
  '^src/search/embedding/embedder[.]ts$',
  '^src/server/extraction/(extractor|phraser)[.]ts$',
  '^src/search/vectors/vector-index[.]ts$',
  '^src/search/recall/kept-(texts|columns|graphs)[.]ts$',
  // Pure: what single tokens mean, as data and arithmetic; the learned order reads it as the embedder does.
  '^src/search/embedding/static/(token-table|word-piece|text-tokens|pooled-vector|max-sim)[.]ts$',
  // Pure: parameters in, parts of a recall out.
  '^src/search/(presets|scoring)/',
];
/** Files that programs and threads start with: the only ones that see what is plugged together. */
const COMPOSITION_ROOTS = [
  '^src/(cli/(main|serve-process)|server/server)[.]ts$',
  '^src/server/assembly/',
  '-thread[.]ts$',
];
const CLIENT =
  '^clients/typescript/src/(index|testing|(agentmemory|langgraph|langgraph/conformance|openai-agents|strands)/index)[.]ts$';

/** The first file of the inspector, what the bundler puts before it, and its types. */
const INSPECTOR = '^inspector/(main[.]tsx|api/buffer[.]ts|environment[.]d[.]ts)$';

/** A folder of src that may import nothing of src but itself and what is listed. */
const folderSees = (name, folder, others, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: folder },
  // Every part may say what it does.
  to: { path: '^(src|test|tools|clients|gen)/', pathNot: [folder, '^src/search/threads/span[.]ts$', ...others] },
});

/** A package that has one home. */
const homeOf = (name, packages, home, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^(src|clients)/', pathNot: home },
  to: { path: `(^|/)(node_modules|gen)/(${packages})/` },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Files that need each other are one file, or hide a third that both should import.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'memory-is-pure',
      comment: 'The domain is tested without a server, a clock or a disk: it takes values and returns values.',
      severity: 'error',
      from: { path: '^src/memory/' },
      to: { pathNot: ['^src/memory/', '^(node:)?(crypto|module|zlib)$', '(^|/)node_modules/(stemmer|re2js)/'] },
    },
    folderSees('search-room', '^src/search/', ['^src/memory/'], 'Search ranks what any source of memories gives it.'),
    folderSees('storage-room', '^src/storage/', ['^src/(memory|search)/'], 'Records are kept for any server.'),
    folderSees(
      'server-room',
      '^src/server/',
      ['^src/(memory|search|storage)/', '^gen/'],
      'A server serves clients: it is none, and prints for no terminal.',
    ),
    folderSees(
      'operations-see-contracts',
      '^src/server/operations/',
      ['^src/memory/', ...CONTRACTS],
      'An operation is the same on every backend and over every transport.',
    ),
    folderSees(
      'extractors-see-messages',
      '^src/server/extraction/',
      ['^src/memory/', '^src/search/embedding/http[.]ts$'],
      'An extractor reads messages and says what they tell: nothing is stored by it.',
    ),
    folderSees(
      'recall-sees-contracts',
      '^src/search/(recall|filtering|presets|ranking|reading|scoring|standing|states)/',
      [
        '^src/memory/',
        '^src/search/threads/',
        '^src/search/vectors/nearest[.]ts$',
        // Pure: what texts mean, as data and arithmetic.
        '^src/search/embedding/sentence/lazy-encoder[.]ts$',
        ...CONTRACTS,
      ],
      'The engine ranks what any store and any index give it; it runs in a thread of its own. Arithmetic is no index.',
    ),
    folderSees(
      'transport-calls-operations',
      '^src/server/grpc/',
      [
        '^src/(server/operations|memory)/',
        '^src/server/(logger|metrics/metrics|config/version)[.]ts$',
        '^gen/ts/',
        ...CONTRACTS,
      ],
      'A handler checks, calls one operation and converts: what it did beyond that no other transport would do.',
    ),
    folderSees(
      'http-hands-calls-over',
      '^src/server/http/',
      ['^src/(server/grpc|memory)/', '^src/server/(logger|config/version)[.]ts$'],
      'A call over HTTP is served by the handler that serves it over gRPC.',
    ),
    folderSees(
      'identity-sees-the-domain',
      '^src/server/identity/',
      ['^src/memory/', '^src/server/logger[.]ts$'],
      'A credential proves an identity, whatever transport brings it.',
    ),
    folderSees(
      'jobs-call-operations',
      '^src/server/jobs/',
      ['^src/(server/operations|memory)/', '^src/server/(logger|metrics/metrics)[.]ts$', ...CONTRACTS],
      'A job says when; what is done is an operation.',
    ),
    folderSees(
      'sqlite-sees-contracts',
      '^src/storage/sqlite/',
      [
        '^src/memory/',
        '^src/storage/[^/]+[.]ts$',
        '^src/storage/(rules|sessions)/',
        '^src/search/threads/',
        ...CONTRACTS,
      ],
      'A technology knows its contract, the domain and its driver, never another technology.',
    ),
    folderSees(
      'redis-sees-contracts',
      '^src/storage/redis/',
      ['^src/memory/', '^src/storage/[^/]+[.]ts$', '^src/storage/(rules|sessions)/', ...CONTRACTS],
      'What a write means is worked out by the rules; Redis lets all of it happen or nothing.',
    ),
    folderSees(
      'postgres-sees-contracts',
      '^src/storage/postgres/',
      ['^src/memory/', '^src/storage/[^/]+[.]ts$', '^src/storage/(rules|sessions)/', ...CONTRACTS],
      'What a write means is worked out by the rules; PostgreSQL lets all of it happen or nothing.',
    ),
    folderSees(
      'viewed-sees-contracts',
      '^src/storage/viewed/',
      ['^src/memory/', '^src/storage/[^/]+[.]ts$', ...CONTRACTS],
      'Records and a view make one store, whatever their technologies are.',
    ),
    folderSees(
      'sessions-see-contracts',
      '^src/storage/sessions/',
      ['^src/memory/', '^src/storage/[^/]+[.]ts$', ...CONTRACTS],
      'Rules of session writes are the same on every backend, and import none of them.',
    ),
    folderSees(
      'rules-are-pure',
      '^src/storage/rules/',
      ['^src/memory/', '^src/storage/[^/]+[.]ts$', ...CONTRACTS],
      'A write rule takes a state and a request, and gives the state after it: no backend.',
    ),
    folderSees(
      'in-memory-sees-contracts',
      '^test/storage/in-memory/',
      ['^src/memory/', '^src/storage/[^/]+[.]ts$', '^src/storage/(rules|sessions)/', ...CONTRACTS],
      'The reference store is the oracle of the others: it must not know them.',
    ),
    {
      name: 'in-memory-serves-tests',
      comment: 'The reference store is what tests compare with: a server that used it would be compared with itself.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|tools)/' },
    },
    folderSees(
      'vector-index-sees-contracts',
      '^src/search/vectors/',
      ['^src/memory/', ...CONTRACTS],
      'An index is a cache of any store.',
    ),
    folderSees(
      'audit-sees-domain',
      '^src/server/audit/',
      ['^src/memory/'],
      'The audit log knows operations by name only.',
    ),
    folderSees(
      'tokenizers-see-domain',
      '^src/search/tokenizers[.]ts$',
      ['^src/memory/'],
      'A tokenizer counts tokens of texts.',
    ),
    folderSees(
      'change-log-sees-domain',
      '^src/storage/change-log/',
      ['^src/memory/'],
      'The log is the same on every backend.',
    ),
    folderSees(
      'embedding-sees-domain',
      '^src/search/embedding/',
      ['^src/memory/'],
      'An embedder turns text into vectors.',
    ),
    folderSees(
      'cli-is-a-client',
      '^src/cli/(?!mcp/)',
      [
        '^clients/typescript/src/',
        '^src/cli/mcp/',
        '^src/server/(server|search-thread/search-threads)[.]ts$',
        '^src/storage/sqlite/writer-threads[.]ts$',
        // A damaged data folder may keep a server from starting; backups are made beside a server.
        '^src/storage/sqlite/(backup/(manifest|(make|restore|select|verify)-backup)|damage/(lost-rows|repair|verify))[.]ts$',
        '^src/server/assembly/(check-folder|check-postgres|migrate-store|backup-postgres|verify-postgres)[.]ts$',
        // Files that a server does not write, or that are only read.
        '^src/server/identity/(api-keys|key-file|policy|applied-limits)[.]ts$',
        '^src/server/audit/(read-audit|key-changes)[.]ts$',
        '^src/server/config/(access|config|metrics-access|version)[.]ts$',
        '^src/memory/(audit-record|nearest-name|derived-id|json|limits|principal)[.]ts$',
        '^src/memory/filter-text/(parse-filter|scanner)[.]ts$',
        '^src/memory/time/(calendar|calendar-day|zone)[.]ts$',
      ],
      'The command line can do what any client can, and so it proves the client.',
    ),
    folderSees(
      'mcp-is-a-client',
      '^src/cli/mcp/',
      ['^clients/typescript/src/', '^src/memory/(recall-settings|time/zone)[.]ts$'],
      'Tools do what any client can, so that they can be served beside a server of any version.',
    ),
    folderSees(
      'client-stands-alone',
      '^clients/typescript/src/',
      ['^gen/ts/', '^clients/[a-z-]+[.]json$'],
      'The client is used without the server: a program that imports it must not load a database.',
    ),
    folderSees(
      'inspector-is-a-client',
      '^inspector/',
      ['^gen/ts/'],
      'The inspector runs in a browser and knows the API alone.',
    ),
    {
      name: 'only-roots-see-implementations',
      comment: 'What is plugged together where is answered by the composition roots alone.',
      severity: 'error',
      from: { path: '^src/server/([^/]+[.]ts$|search-thread/|config/|metrics/)', pathNot: COMPOSITION_ROOTS },
      to: {
        path: '^src/(server/(grpc|operations|jobs)|storage|search)/',
        pathNot: ['^src/search/threads/', ...CONTRACTS],
      },
    },
    {
      name: 'generated-code-at-the-edge',
      comment: 'Messages are converted once, where they come in and go out.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/grpc/' },
      to: { path: '^gen/', pathNot: '^gen/(kysely|zod)/' },
    },
    homeOf(
      'home-of-grpc',
      '@grpc/grpc-js',
      '^(src/server/((grpc|http)/|server[.]ts)|clients/)',
      'One transport, one place.',
    ),
    homeOf('home-of-sqlite', 'better-sqlite3', '^src/storage/sqlite/', 'Driver errors end in this folder.'),
    homeOf('home-of-kysely', 'kysely', '^src/storage/(sqlite|postgres|migration)/', 'SQL is written where it is run.'),
    homeOf('home-of-postgres', 'pg', '^src/storage/postgres/', 'Driver errors end in this folder.'),
    homeOf(
      'home-of-lru-cache',
      'lru-cache',
      '^src/server/answer-cache/',
      'What is kept and what goes is decided in one place.',
    ),
    homeOf(
      'home-of-gpt-tokenizer',
      'gpt-tokenizer',
      '^src/search/tokenizers[.]ts$',
      'An encoding is read when it is asked for.',
    ),
    homeOf('home-of-redis', 'redis|@redis/[^/]+', '^src/storage/redis/', 'Driver errors end in this folder.'),
    homeOf(
      'home-of-usearch',
      'usearch',
      '^src/search/vectors/(usearch|exact)',
      'Its calls can hang or crash: one fence.',
    ),
    homeOf('home-of-jose', 'jose', '^src/server/identity/', 'Loaded only where a server takes JWT.'),
    homeOf(
      'home-of-opentelemetry',
      '@opentelemetry/[^/]+',
      '^src/server/tracing/',
      'Loaded only where traces are sent.',
    ),
    homeOf('home-of-mcp', '@modelcontextprotocol/[^/]+', '^src/cli/mcp/', 'One protocol, one place.'),
    homeOf('home-of-preact', 'preact|diff', '^inspector/', 'Only the inspector draws pages.'),
    homeOf('home-of-commander', 'commander', '^src/cli/', 'Only the program has a command line.'),
    {
      name: 'product-ships-alone',
      comment:
        'What runs in production is installed without development packages, tests and tools. Kysely and zod are found by the names #kysely and #zod of package.json, which count as no packages.',
      severity: 'error',
      from: { path: '^(src|clients/typescript/src|inspector)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: 'node_modules/(@types|kysely|zod)/' },
    },
    {
      name: 'imports-exist',
      comment: 'An import that leads nowhere fails when the line runs.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dead-files',
      comment: 'A file that no program reaches is deleted.',
      severity: 'error',
      from: { path: [...COMPOSITION_ROOTS, CLIENT, INSPECTOR] },
      to: {
        path: '^(src|clients/typescript/src|inspector)/',
        pathNot: [...COMPOSITION_ROOTS, CLIENT, INSPECTOR],
        reachable: false,
      },
    },
  ],
  options: {
    // TypeScript 7 has no compiler API: without this parser the tool reads no .ts file and reports nothing.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^clients/typescript/dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
