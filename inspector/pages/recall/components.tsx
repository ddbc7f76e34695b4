import { useState } from 'preact/hooks';
import type { ScoreComponent } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { countOf } from '../../ui/format.ts';
import { partNameOf } from './part-names.ts';

/** Share of the largest contribution below which a part is folded. */
const NEAR_ZERO = 0.03;

interface ComponentsProps {
  readonly caption: string;
  readonly components: readonly ScoreComponent[];
  readonly hasRanks?: boolean;
}

/** Parts of a score in plain words, largest contribution first; those near zero on demand. */
export function Components({ caption, components, hasRanks = false }: ComponentsProps) {
  const [isWhole, setWhole] = useState(false);
  const ordered = components.toSorted((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const least = NEAR_ZERO * Math.abs(ordered[0]?.contribution ?? 0);
  const large = ordered.filter(({ contribution }) => Math.abs(contribution) > least);
  const foldedCount = ordered.length - large.length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
    <section class="scrolled" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="quiet small">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col" class="number">
              Contribution
            </th>
            <th scope="col" class="number">
              Value
            </th>
            {hasRanks && (
              <th scope="col" class="number">
                Rank
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {(isWhole ? ordered : large).map((component) => (
            <Component key={component.name} component={component} hasRank={hasRanks} />
          ))}
        </tbody>
      </table>
      {foldedCount > 0 && (
        <button type="button" class="link small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Hide' : 'Show'} {countOf(foldedCount, 'part', 'parts')} near zero
        </button>
      )}
    </section>
  );
}

function Component({ component, hasRank }: { readonly component: ScoreComponent; readonly hasRank: boolean }) {
  const { name, value, contribution, rank } = component;
  const { title, explanation } = partNameOf(name);
  return (
    <tr>
      <th scope="row" title={`Name in the API: ${name}`}>
        {title}
        {explanation !== '' && <span class="small quiet part-explanation">{explanation}</span>}
      </th>
      <td class="number">{contribution.toFixed(3)}</td>
      <td class="number">{value.toFixed(3)}</td>
      {hasRank && <td class="number">{rank === 0 ? '–' : rank}</td>}
    </tr>
  );
}
