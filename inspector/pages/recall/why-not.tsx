import { useState } from 'preact/hooks';
import type { RecallHit } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { getMemory, listMemories } from '../../api/calls.ts';
import { CallFailure } from '../../api/failure.ts';
import { memoryName, namespaceName } from '../../api/names.ts';
import { recall } from '../../api/recall-calls.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { quoted } from '../memories/memory-row.tsx';
import { Components } from './components.tsx';
import { Relevance } from './hit.tsx';
import { requestOf, type Settings } from './settings.ts';

/** As many hits as one answer may have. */
const RANKS_MAX = 1000;

interface WhyNotProps {
  readonly namespace: string;
  readonly question: string;
  readonly settings: Settings;
}

/** Why a memory that is named is not among the hits: what takes it out, or where it ranks. */
export function WhyNot({ namespace, question, settings }: WhyNotProps) {
  const [id, setId] = useState('');
  const [asked, setAsked] = useState('');
  return (
    <section class="panel">
      <h2>Why not?</h2>
      <p class="quiet">What keeps a memory from being a hit, or where it ranks.</p>
      <form
        class="filter"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(id.trim());
        }}
      >
        <input
          aria-label="Id of a memory"
          placeholder="Id of a memory"
          value={id}
          spellcheck={false}
          onInput={({ currentTarget }) => setId(currentTarget.value)}
        />
        <button type="submit">Explain</button>
      </form>
      {asked !== '' && <Reason namespace={namespace} question={question} settings={settings} id={asked} />}
    </section>
  );
}

function Reason({ namespace, question, settings, id }: WhyNotProps & { readonly id: string }) {
  const asked = useAsked(
    (signal) => reasonFor(namespace, question, settings, id, signal),
    [namespace, question, JSON.stringify(settings), id],
  );
  if (asked.failure) return <Failure failure={asked.failure} again={asked.again} />;
  if (!asked.value) return <Loading>Looking for it …</Loading>;
  const { sentence, hit, text } = asked.value;
  return (
    <div class="stack" role="status">
      {text !== '' && (
        <p class="prose quiet">
          <PlainText text={text} max={300} />
        </p>
      )}
      <p>
        <strong>{sentence}</strong>
      </p>
      {hit && (
        <>
          <Relevance value={hit.relevance} />
          <Components caption="Parts of its score" components={hit.components} hasRanks />
        </>
      )}
    </div>
  );
}

interface Found {
  readonly sentence: string;
  readonly text: string;
  readonly hit?: RecallHit;
}

async function reasonFor(
  namespace: string,
  question: string,
  settings: Settings,
  id: string,
  signal: AbortSignal,
): Promise<Found> {
  const name = memoryName(namespace, id);
  const memory = await getMemory({ name }, signal).then(
    (answer) => answer.memory,
    (error: unknown) => {
      if (error instanceof CallFailure && error.code === 'not_found') return undefined;
      throw error;
    },
  );
  if (!memory)
    return { sentence: 'There is no such memory in this namespace, or this caller may not see it.', text: '' };
  const { text } = memory;
  const isIn = async (condition: string, more: object = {}) => {
    const filterText = [`id = ${quoted(id)}`, ...(condition === '' ? [] : [`(${condition})`])].join(' AND ');
    const { memories } = await listMemories({ parent: namespaceName(namespace), filterText, ...more }, signal);
    return memories.length > 0;
  };
  if (settings.filter !== '' && !(await isIn(settings.filter))) return { sentence: 'The filter takes it out.', text };
  const validity = settings.asOf === '' ? { includeInvalid: false } : { asOf: requestOf(namespace, '', settings).asOf };
  if (!(await isIn('', validity))) {
    const when = settings.asOf === '' ? 'now' : 'at the time that is asked for';
    const because =
      memory.supersededBy === '' ? 'its validity has ended or has not begun' : 'another memory supersedes it';
    return { sentence: `It is not valid ${when}: ${because}.`, text };
  }
  return { ...(await rankOf(namespace, question, settings, name, signal)), text };
}

/** Where it ranks when nothing is left out for its relevance. */
async function rankOf(
  namespace: string,
  question: string,
  settings: Settings,
  name: string,
  signal: AbortSignal,
): Promise<Omit<Found, 'text'>> {
  const everything = { ...settings, limit: `${RANKS_MAX}`, minRelevance: '0' };
  const [all, chosen] = await Promise.all([
    recall(requestOf(namespace, question, everything), signal),
    recall(requestOf(namespace, question, settings), signal),
  ]);
  const at = all.hits.findIndex(({ memory }) => memory?.name === name);
  const hit = all.hits[at];
  if (!hit) {
    const how = all.hits.length < RANKS_MAX ? 'no lane finds it' : `it is not among the best ${RANKS_MAX}`;
    const equal = all.hits.some(({ equalCount }) => equalCount > 0) ? ', or an equal memory stands for it' : '';
    return { sentence: `It is no candidate: ${how}${equal}.` };
  }
  const rank = `${at + 1} of ${all.hits.length}`;
  if (chosen.hits.some(({ memory }) => memory?.name === name)) return { sentence: `It is found, as ${rank}.`, hit };
  const relevance = hit.relevance.toFixed(2);
  const last = chosen.hits.at(-1);
  const isCut = last !== undefined && last.relevance <= hit.relevance;
  if (isCut) return { sentence: `It ranks ${rank}, behind the number of hits.`, hit };
  return { sentence: `It ranks ${rank}, and its relevance ${relevance} is below the least relevance.`, hit };
}
