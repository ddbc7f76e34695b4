import { idOf } from '../../api/names.ts';
import { dateOf } from '../../api/times.ts';
import { bytesText, countOf, countText, durationText } from '../../ui/format.ts';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import type { Overview } from './overview.ts';

interface Statistics {
  readonly statistics: NonNullable<Overview['statistics']>;
}

const INDEXES_SHOWN = 8;

export function IndexPanel({ statistics, info }: Statistics & Pick<Overview, 'info'>) {
  const { vectorIndexes } = statistics;
  return (
    <section class="panel">
      <h2>Vector indexes</h2>
      {vectorIndexes.length === 0 && (
        <Empty>No vector index is in memory. The first search makes one where it is of use.</Empty>
      )}
      {vectorIndexes.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Namespace</th>
              <th scope="col" class="number">
                Vectors
              </th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {vectorIndexes.slice(0, INDEXES_SHOWN).map(({ namespace, vectorCount, exactCount, revision }) => (
              <tr key={namespace}>
                <td>
                  <bdi>{idOf(namespace)}</bdi>
                </td>
                <td class="number">{countText(vectorCount)}</td>
                <td>
                  {exactCount > 0 && vectorCount > exactCount
                    ? `${countText(exactCount)} still searched exactly`
                    : `at revision ${revision}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {vectorIndexes.length > INDEXES_SHOWN && (
        <p class="quiet">and {countText(vectorIndexes.length - INDEXES_SHOWN)} more</p>
      )}
      <p class="quiet small">
        Embedder: {info.embedder?.kind ?? 'none'}
        {info.embedder?.model ? `, ${info.embedder.model}` : ''}
      </p>
    </section>
  );
}

export function WorkPanel({
  statistics,
  ofNamespace,
  lastMaintenance,
}: Statistics & Pick<Overview, 'ofNamespace' | 'lastMaintenance'>) {
  const pending = statistics.statistics?.embeddingPendingCount ?? 0;
  const failed = ofNamespace?.types.find(({ type }) => type === 'extraction_failure')?.memoryCount ?? 0;
  const { memoryPressure: pressure, streams, recallCache: cache } = statistics;
  return (
    <section class="panel">
      <h2>Background work</h2>
      <dl class="facts">
        <dt>Vectors to compute</dt>
        <dd>{pending === 0 ? 'none' : countText(pending)}</dd>
        <dt>Failed extractions</dt>
        <dd>{failed === 0 ? 'none' : countText(failed)}</dd>
        <dt>Last maintenance</dt>
        <dd>{lastMaintenance ? <Time at={lastMaintenance} /> : 'not yet'}</dd>
        <dt>Moved for memory</dt>
        <dd>{pressure && pressure.movedCount > 0 ? countOf(pressure.movedCount, 'memory', 'memories') : 'none'}</dd>
        <dt>Open streams</dt>
        <dd>{streams?.open.map(({ kind, count }) => `${count} ${kind}`).join(', ') || 'none'}</dd>
        <dt>Change log</dt>
        <dd>
          {countOf(streams?.entryCount ?? 0, 'entry', 'entries')}, {bytesText(streams?.entryBytes ?? 0)}
        </dd>
        <dt>Recall cache</dt>
        <dd>
          {countText(cache?.hitCount ?? 0)} answered, {countText(cache?.missCount ?? 0)} searched
        </dd>
      </dl>
    </section>
  );
}

export function ServerPanel({ info, statistics }: Pick<Overview, 'info' | 'statistics'>) {
  return (
    <section class="panel">
      <h2>Server</h2>
      <dl class="facts">
        <dt>Version</dt>
        <dd>{info.version}</dd>
        {info.startTime && (
          <>
            <dt>Started</dt>
            <dd>
              <Time at={info.startTime} /> ({durationText((Date.now() - dateOf(info.startTime).getTime()) / 1000)})
            </dd>
          </>
        )}
        {statistics && (
          <>
            <dt>On disk</dt>
            <dd>{bytesText(statistics.diskBytes)}</dd>
          </>
        )}
        {info.backends.map(({ role, technology, durability }) => (
          <>
            <dt key={`${role} name`}>{role.charAt(0).toUpperCase() + role.slice(1)}</dt>
            <dd key={role}>
              {technology}, survives {durability}
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}
