import type { RecallHit, ScoreComponent } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { idOf } from '../../api/names.ts';
import { tierText } from '../../ui/enums.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Time } from '../../ui/time.tsx';
import { memoryAddress } from '../memories/address.ts';

/** Features beyond these contribute little. */
const FEATURES_SHOWN = 12;
const TEXT_SHOWN = 600;

interface HitProps {
  readonly hit: RecallHit;
  readonly rank: number;
  readonly namespace: string;
}

/** One hit: what it says, how relevant it is, and why it was found. */
export function Hit({ hit, rank, namespace }: HitProps) {
  const { memory, relevance, passage, equalCount, outdatedBy, matchedTerms } = hit;
  if (!memory) return null;
  const { name, text, type, tier, eventTime } = memory;
  const shown = passage?.text ?? text;
  return (
    <li class="hit">
      <span class="hit-rank quiet">{rank}</span>
      <div class="stack">
        <a href={memoryAddress(namespace, idOf(name))} class="prose">
          <PlainText text={shown === '' ? idOf(name) : shown} max={TEXT_SHOWN} />
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
        {matchedTerms.length > 0 && (
          <div class="row small">
            <span class="quiet">Words</span>
            {matchedTerms.map((term) => (
              <mark key={term}>
                <PlainText text={term} />
              </mark>
            ))}
          </div>
        )}
        <Why hit={hit} rank={rank} />
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

function Why({ hit: { score, components, features, restored }, rank }: Pick<HitProps, 'hit' | 'rank'>) {
  return (
    <details>
      <summary>Why</summary>
      <div class="stack">
        <p class="quiet small">
          The score {score.toFixed(3)} is the sum of these parts; it orders this answer alone. Of hits with a relevance
          of 0.3, three in ten answer the question.
        </p>
        <Components caption={`Parts of the score of hit ${rank}`} components={components} hasRanks />
        {features.length > 0 && (
          <Components
            caption={`What the learned order looked at in hit ${rank}`}
            components={features.slice(0, FEATURES_SHOWN)}
          />
        )}
        {restored && <p class="quiet small">The text was restored from the compressed form of its tier.</p>}
      </div>
    </details>
  );
}

interface ComponentsProps {
  readonly caption: string;
  readonly components: readonly ScoreComponent[];
  readonly hasRanks?: boolean;
}

export function Components({ caption, components, hasRanks = false }: ComponentsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
    <section class="scrolled" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="quiet small">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col" class="number">
              Value
            </th>
            <th scope="col" class="number">
              Contribution
            </th>
            {hasRanks && (
              <th scope="col" class="number">
                Rank in its lane
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {components.map(({ name, value, contribution, rank }) => (
            <tr key={name}>
              <td>{name}</td>
              <td class="number">{value.toFixed(3)}</td>
              <td class="number">{contribution.toFixed(3)}</td>
              {hasRanks && <td class="number">{rank === 0 ? '–' : rank}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
