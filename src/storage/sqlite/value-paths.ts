import type { SqliteDatabase } from './database.ts';
import { prepared, queries } from './prepared.ts';
import { pathPrefix } from './value-terms.ts';

/** Paths that a namespace keeps apart; contents with others are found without the help of their values. */
const PATHS_MAX = 4096;
const NAMESPACES_KEPT = 1000;

const pathsOf = prepared((p: { namespace_key: number }) =>
  queries.selectFrom('value_path').select(['path', 'key']).where('namespace_key', '=', p.namespace_key),
);
const addPath = prepared((p: { namespace_key: number; path: string }) =>
  queries.insertInto('value_path').values({ namespace_key: p.namespace_key, path: p.path }).returning('key'),
);

/** Paths of JSON contents, as the writer remembers them. */
export class ValuePaths {
  private readonly database: SqliteDatabase;
  private readonly namespaces = new Map<number, Map<string, string>>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  /** What the terms of values at the path begin with, be it new or known; `undefined` when the namespace has too many paths. */
  prefixOf(namespaceKey: number, path: string): string | undefined {
    const paths = this.pathsOf(namespaceKey);
    const known = paths.get(path);
    if (known !== undefined || paths.size >= PATHS_MAX) return known;
    const key = addPath(this.database).get({ namespace_key: namespaceKey, path })?.key;
    if (key === undefined) return undefined;
    const prefix = pathPrefix(namespaceKey, key);
    paths.set(path, prefix);
    return prefix;
  }

  clear(): void {
    this.namespaces.clear();
  }

  private pathsOf(namespaceKey: number): Map<string, string> {
    const known = this.namespaces.get(namespaceKey);
    if (known) return known;
    const rows = pathsOf(this.database).all({ namespace_key: namespaceKey });
    const paths = new Map(rows.map(({ path, key }) => [path, pathPrefix(namespaceKey, key)]));
    if (this.namespaces.size >= NAMESPACES_KEPT) this.namespaces.clear();
    this.namespaces.set(namespaceKey, paths);
    return paths;
  }
}
