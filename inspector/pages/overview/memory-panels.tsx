import { Tier } from '../../../gen/ts/mneme/v1/memory.ts';
import { tierText, tierWord } from '../../ui/enums.ts';
import { bytesText, countOf, countText } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty } from '../../ui/states.tsx';
import { listAddress } from '../memories/address.ts';
import type { Overview } from './overview.ts';

type Part = Pick<Overview, 'ofNamespace' | 'settings' | 'statistics'> & { readonly namespace: string };

const TYPES_SHOWN = 8;

export function MemoriesPanel({ ofNamespace, statistics, namespace }: Part) {
  const types = ofNamespace?.types ?? [];
  const most = Math.max(1, ...types.map(({ memoryCount }) => memoryCount));
  return (
    <section class="panel">
      <h2>
        Memories of <bdi>{namespace}</bdi>
      </h2>
      {!ofNamespace && <Empty>This identity may not read the statistics of the namespace.</Empty>}
      {ofNamespace && (
        <p>
          <a class="figure" href={listAddress(namespace, '')}>
            {countText(ofNamespace.memoryCount)}
          </a>{' '}
          {ofNamespace.memoryCount === 1 ? 'memory' : 'memories'}, {bytesText(ofNamespace.contentBytes)}
        </p>
      )}
      {types.length > 0 && (
        <table>
          <thead class="unseen">
            <tr>
              <th scope="col">Type</th>
              <th scope="col">Memories</th>
              <th scope="col">Share</th>
            </tr>
          </thead>
          <tbody>
            {types.slice(0, TYPES_SHOWN).map(({ type, memoryCount }) => (
              <tr key={type}>
                <td>
                  <a href={listAddress(namespace, `type = ${JSON.stringify(type)}`)}>
                    <PlainText text={type} />
                  </a>
                </td>
                <td class="number">{countText(memoryCount)}</td>
                <td class="bar-cell">
                  <Bar share={memoryCount / most} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {types.length > TYPES_SHOWN && (
        <p class="quiet">and {countOf(types.length - TYPES_SHOWN, 'type', 'types')} more</p>
      )}
      {statistics && (
        <p class="quiet">
          The whole server: {countOf(statistics.statistics?.memoryCount ?? 0, 'memory', 'memories')} in{' '}
          {countOf(statistics.namespaceCount, 'namespace', 'namespaces')}
        </p>
      )}
    </section>
  );
}

function Bar({ share, isFull = false }: { readonly share: number; readonly isFull?: boolean }) {
  return (
    <span class={isFull ? 'bar full' : 'bar'} aria-hidden="true">
      <span style={{ width: `${share > 0 ? Math.min(100, Math.max(1, share * 100)) : 0}%` }} />
    </span>
  );
}

/** Defaults of `Namespace.settings`; long-term memory has no limit. */
const MEMORY_LIMITS: Readonly<Record<string, number>> = { short_term: 10_000, intermediate: 50_000 };

export function TiersPanel({ ofNamespace, settings, namespace }: Part) {
  const tiers = [Tier.TIER_SHORT_TERM, Tier.TIER_INTERMEDIATE, Tier.TIER_LONG_TERM];
  return (
    <section class="panel">
      <h2>Tiers</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Tier</th>
            <th scope="col" class="number">
              Count
            </th>
            <th scope="col" class="number">
              Limit
            </th>
            <th scope="col" class="number">
              Stored
            </th>
          </tr>
        </thead>
        <tbody>
          {tiers.map((tier) => {
            const word = tierWord(tier);
            const found = ofNamespace?.tiers.find((one) => one.tier === tier);
            const limit = Number(settings[`${word}.memory_limit`] ?? MEMORY_LIMITS[word] ?? 0);
            const count = found?.memoryCount ?? 0;
            return (
              <tr key={word}>
                <th scope="row">
                  <a href={listAddress(namespace, `tier = "${word}"`)}>{tierText(tier)}</a>
                  {limit > 0 && <Bar share={count / limit} isFull={count > limit} />}
                </th>
                <td class="number">{countText(count)}</td>
                <td class="number">{limit === 0 ? 'none' : countText(limit)}</td>
                <td class="number">{bytesText(found?.storedBytes ?? 0)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="quiet small">What exceeds a limit moves one tier down. Nothing is lost by a move.</p>
    </section>
  );
}
