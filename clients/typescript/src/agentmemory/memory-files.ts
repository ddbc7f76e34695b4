import { readFile, writeFile } from 'node:fs/promises';
import { where } from '../filter.ts';
import { type MemoryTier, TIERS } from './checks.ts';
import type { Engine } from './engine.ts';
import { entryOf, memoryOf } from './entries.ts';
import { failingAs, MemoryRetrievalException, MemoryStoreException, refused } from './errors.ts';
import { type Fields, isRecord } from './models.ts';

const MOVES_PER_CALL = 1_000;

/** Stores the entries of a file `{config, agents: {id: {agent_id, memories: [entry]}}}`, each in its tier. */
export async function loadFile(engine: Engine, file: string, embeddingModel: string | undefined): Promise<number> {
  const operation = 'loadFromJson';
  const entries = await entriesOf(file);
  let memories: ReturnType<typeof memoryOf>[];
  try {
    memories = entries.map((entry) => memoryOf(entry, embeddingModel));
  } catch (error) {
    throw noFile(file, error);
  }
  await failingAs(MemoryStoreException, operation, {}, async () => {
    const client = await engine.ready(MemoryStoreException, operation);
    await client.importMemories(memories);
    for (const tier of ['im', 'ltm'] as const) {
      const ids = entries.filter((entry) => tierOf(entry) === tier).map((entry) => String(entry['memory_id']));
      for (let at = 0; at < ids.length; at += MOVES_PER_CALL)
        await client.demote(ids.slice(at, at + MOVES_PER_CALL), { toTier: TIERS[tier] });
    }
  });
  engine.wrote();
  return entries.length;
}

/** Writes the entries of an agent, or of all agents of the namespace. */
export async function saveFile(engine: Engine, file: string, agentId: string | undefined): Promise<number> {
  const operation = 'saveToJson';
  const agents: Record<string, { agent_id: string; memories: Fields[] }> = {};
  let count = 0;
  await failingAs(MemoryRetrievalException, operation, agentId === undefined ? {} : { agentId }, async () => {
    const client = await engine.ready(MemoryRetrievalException, operation);
    const forms = await engine.forms();
    const filter = agentId === undefined ? where.agent.exists() : where.agent.equals(agentId);
    for await (const memory of client.exportMemories({ filter })) {
      const { contents: _, ...entry } = entryOf(memory, forms);
      const id = entry.agent_id ?? '';
      agents[id] ??= { agent_id: id, memories: [] };
      agents[id].memories.push(entry);
      count += 1;
    }
  });
  await writeFile(file, JSON.stringify({ config: configOf(engine), agents }, undefined, 1));
  return count;
}

async function entriesOf(file: string): Promise<Fields[]> {
  try {
    const found = JSON.parse(await readFile(file, 'utf8')) as { readonly agents: unknown };
    if (!isRecord(found.agents)) throw new TypeError('it has no agents');
    const entries = Object.values(found.agents).flatMap((agent) => (agent as { memories: unknown[] }).memories);
    if (!entries.every((entry) => isRecord(entry) && typeof entry['memory_id'] === 'string'))
      throw new TypeError('an entry has no memory_id');
    return entries as Fields[];
  } catch (error) {
    throw noFile(file, error);
  }
}

function noFile(file: string, error: unknown): Error {
  return refused(MemoryStoreException, 'file', `${file} is no file of memories: ${String(error)}`);
}

function tierOf(entry: Fields): MemoryTier | undefined {
  const metadata = isRecord(entry['metadata']) ? entry['metadata'] : {};
  return metadata['current_tier'] as MemoryTier | undefined;
}

/** Names are those of the file format. */
function configOf({ config }: Engine): Fields {
  return {
    cleanup_interval: config.cleanupInterval,
    memory_priority_decay: config.memoryPriorityDecay,
    enable_memory_hooks: config.enableMemoryHooks,
    use_embedding_engine: config.useEmbeddingEngine,
  };
}
