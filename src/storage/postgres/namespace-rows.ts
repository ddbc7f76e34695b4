import type { ScopePolicy } from '../../memory/scope.ts';
import type { Namespace } from '../records.ts';
import { queries, type Session } from './database.ts';
import type { NamespaceTable } from './schema.ts';

export function namespaceOf(row: NamespaceTable): Namespace {
  return {
    name: row.name,
    description: row.description,
    createdAtUs: row.created_at_us,
    updatedAtUs: row.updated_at_us,
    embeddingModel: row.embedding_model,
    embeddingDimension: row.embedding_dimension,
    memoryLimit: row.memory_limit,
    settings: JSON.parse(row.settings) as Namespace['settings'],
    revision: row.revision,
  };
}

type OfNamespace =
  | 'name'
  | 'description'
  | 'created_at_us'
  | 'updated_at_us'
  | 'embedding_model'
  | 'embedding_dimension'
  | 'memory_limit'
  | 'settings'
  | 'revision';

export function columnsOf(namespace: Namespace): Pick<NamespaceTable, OfNamespace> {
  return {
    name: namespace.name,
    description: namespace.description,
    created_at_us: namespace.createdAtUs,
    updated_at_us: namespace.updatedAtUs,
    embedding_model: namespace.embeddingModel,
    embedding_dimension: namespace.embeddingDimension,
    memory_limit: namespace.memoryLimit,
    settings: JSON.stringify(namespace.settings),
    revision: namespace.revision,
  };
}

export async function findNamespace(session: Session, name: string): Promise<NamespaceTable | undefined> {
  const [row] = await session.run(queries.selectFrom('namespace').selectAll().where('name', '=', name));
  return row;
}

export function policiesIn(row: { readonly policies: string } | undefined): readonly ScopePolicy[] {
  return row ? (JSON.parse(row.policies) as ScopePolicy[]) : [];
}
