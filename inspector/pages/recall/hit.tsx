import type { RecallHit } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { idOf } from '../../api/names.ts';
import { tierText } from '../../ui/enums.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Time } from '../../ui/time.tsx';
import { memoryAddress } from '../memories/address.ts';
import { Components } from './components.tsx';
import { matchedWords, stemFinder } from './matched-words.ts';

const TEXT_SHOWN = 600;
const WORDS_SHOWN = 12;

interface HitProps {
  readonly hit: RecallHit;
  readonly rank: number;
  readonly namespace: string;
  /** Names the answer, where there are two: `A`. */
  readonly side: string;
}

/** One hit: what it says, how relevant it is, and why it was found. */
export function Hit({ hit, rank, namespace, side }: HitProps) {
  const { memory, relevance, passage, equalCount, outdatedBy, matchedTerms } = hit;
  if (!memory) return null;
  const { name, text, type, tier, eventTime } = memory;
  const shown = passage?.text ?? text;
  const stemOf = stemFinder(matchedTerms);
  return (
    <li class="hit">
      <span class="hit-rank quiet">{rank}</span>
      <div class="stack">
        <a href={memoryAddress(namespace, idOf(name))} class="prose">
          <PlainText
            text={shown === '' ? idOf(name) : shown}
            max={TEXT_SHOWN}
            marked={(word) => stemOf(word) !== undefined}
          />
        </a>
        <div class="row small">
          <Relevance value={relevance} />
          <span class="badge">{type}</span>
          <span class="badge">{tierText(tier)}</span>
          {eventTime && <Time at={eventTime} />}
          {equalCount > 0 && <span class="badge">{equalCount} more say the same</span>}
          {outdatedBy !== '' && (
            <a class="badge warn" href={memoryAddress(namespace, idOf(outdatedBy))}>
              a later memory says otherwise
            </a>
          )}
        </div>
        <Words words={matchedWords(text, stemOf)} />
        <Why hit={hit} of={side === '' ? `hit ${rank}` : `hit ${rank} of ${side}`} />
      </div>
    </li>
  );
}

export function Relevance({ value }: { readonly value: number }) {
  return (
    <span class="row">
      <meter class="relevance" min={0} max={1} value={value} aria-label="Relevance" />
      <strong>{value.toFixed(2)}</strong>
    </span>
  );
}

/** Words that the question and the memory have in common. */
function Words({ words }: { readonly words: ReadonlyMap<string, string> }) {
  if (words.size === 0) return null;
  return (
    <div class="row small">
      <span class="quiet">Words</span>
      {[...words].slice(0, WORDS_SHOWN).map(([word, stem]) => (
        <span key={word} class="badge" title={`Stem: ${stem}`}>
          <PlainText text={word} max={40} />
        </span>
      ))}
    </div>
  );
}

function Why({ hit, of }: { readonly hit: RecallHit; readonly of: string }) {
  const { score, components, features, restored } = hit;
  return (
    <details>
      <summary aria-label={`Why ${of}`}>Why</summary>
      <div class="stack">
        <p class="quiet small">
          The score {score.toFixed(3)} is the sum of these parts; it orders this answer alone. Of hits with a relevance
          of 0.3, three in ten answer the question. A value of 0 counts as well: that something is absent tells too.
        </p>
        <Components caption={`Parts of the score of ${of}`} components={components} hasRanks />
        {features.length > 0 && (
          <Components caption={`What the learned order looked at in ${of}`} components={features} />
        )}
        {restored && <p class="quiet small">The text was restored from the compressed form of its tier.</p>}
      </div>
    </details>
  );
}
