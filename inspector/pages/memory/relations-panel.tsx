import type { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { getMemory, listMemories } from '../../api/calls.ts';
import { CallFailure } from '../../api/failure.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { listAddress, memoryAddress } from '../memories/address.ts';
import { quoted } from '../memories/memory-row.tsx';

/** Memories shown of each kind; the list has the others. */
const SHOWN_MAX = 20;
/** A filter value is at most 4,096 bytes. */
const TEXT_SHOWN = 160;

interface RelationsProps {
  readonly namespace: string;
  readonly memory: Memory;
}

/** What superseded this memory, what it superseded, the facts that came from it, and the sources of a fact. */
export function RelationsPanel({ namespace, memory }: RelationsProps) {
  const { name, supersededBy, version } = memory;
  const asked = useAsked((signal) => relationsOf(namespace, memory, signal), [name, String(version)]);
  if (asked.failure) return <Failure failure={asked.failure} again={asked.again} />;
  if (!asked.value) return <Loading>Looking for related memories …</Loading>;
  const { later, earlier, facts, sources } = asked.value;
  if (supersededBy === '' && earlier.length + facts.length + sources.length === 0) return null;
  return (
    <section class="panel">
      <h2>Related</h2>
      {supersededBy !== '' && (
        <Related
          title="Superseded by"
          namespace={namespace}
          memories={later}
          absent={later.length === 0 ? supersededBy : ''}
        />
      )}
      <Related title="Supersedes" namespace={namespace} memories={earlier} />
      <Related
        title="Facts that came from it"
        namespace={namespace}
        memories={facts}
        all={listAddress(namespace, factsFilter(name))}
      />
      <Related title="Sources" namespace={namespace} memories={sources} />
    </section>
  );
}

interface RelatedProps {
  readonly title: string;
  readonly namespace: string;
  readonly memories: readonly Memory[];
  /** Name of a memory that cannot be read any more. */
  readonly absent?: string;
  /** Address of all, where there may be more. */
  readonly all?: string;
}

function Related({ title, namespace, memories, absent = '', all }: RelatedProps) {
  if (memories.length === 0 && absent === '') return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul class="related">
        {memories.map(({ name, text, type }) => (
          <li key={name}>
            <a href={memoryAddress(namespace, idOf(name))}>
              <PlainText text={text === '' ? idOf(name) : text} max={TEXT_SHOWN} />
            </a>{' '}
            <span class="badge">{type}</span>
          </li>
        ))}
        {absent !== '' && (
          <li class="quiet">
            <code>{idOf(absent)}</code>, which is not there any more
          </li>
        )}
      </ul>
      {all !== undefined && memories.length >= SHOWN_MAX && <a href={all}>All of them</a>}
    </div>
  );
}

function factsFilter(name: string): string {
  return `type = "fact" AND content.sources = ${quoted(name)}`;
}

async function relationsOf(namespace: string, memory: Memory, signal: AbortSignal) {
  const parent = namespaceName(namespace);
  const { name, supersededBy } = memory;
  const listed = async (filterText: string) =>
    (await listMemories({ parent, filterText, pageSize: SHOWN_MAX }, signal)).memories;
  const [later, earlier, facts, sources] = await Promise.all([
    supersededBy === '' ? [] : existing([supersededBy], signal),
    listed(`superseded_by = ${quoted(name)}`),
    listed(factsFilter(name)),
    existing(sourcesOf(memory, parent), signal),
  ]);
  return { later, earlier, facts, sources };
}

/** Names of memories of the namespace in the content of a fact. */
function sourcesOf({ type, content }: Memory, parent: string): readonly string[] {
  if (type !== 'fact' || content?.body?.$case !== 'json') return [];
  try {
    const { sources } = JSON.parse(content.body.value) as { readonly sources?: unknown };
    const names: readonly unknown[] = Array.isArray(sources) ? sources : [];
    return names
      .filter((name) => typeof name === 'string')
      .filter((name) => name.startsWith(`${parent}/memories/`))
      .slice(0, SHOWN_MAX);
  } catch {
    return [];
  }
}

async function existing(names: readonly string[], signal: AbortSignal): Promise<readonly Memory[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      try {
        return (await getMemory({ name }, signal)).memory;
      } catch (error) {
        if (error instanceof CallFailure && error.code === 'not_found') return undefined;
        throw error;
      }
    }),
  );
  return found.filter((memory) => memory !== undefined);
}
