import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Backlog, ExtractionMeter } from '../../memory/meters.ts';

/** Values of the label `extractor`; an extractor of another name is `other`. */
const EXTRACTORS: ReadonlySet<string> = new Set(['verbatim', 'rules', 'model', 'client']);
/** A model may take minutes for a batch. */
const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500];

/** Metrics of extraction: the backlog is read when the metrics are scraped. */
export function extractionMetrics(registers: Registry[], backlog: () => Backlog): ExtractionMeter {
  const gauge = (name: string, help: string, read: (backlog: Backlog) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(backlog()));
      },
    });
  gauge('mneme_extraction_turns_waiting', 'Turns that wait for extraction.', ({ turnCount }) => turnCount);
  gauge(
    'mneme_extraction_oldest_waiting_seconds',
    'Time since this server has read the oldest turn that waits; 0 without any.',
    ({ oldestAgeMs }) => oldestAgeMs / 1000,
  );
  const turns = new Counter({
    name: 'mneme_extraction_turns_total',
    help: 'Turns extracted, failed (each attempt) and given up as dead letters.',
    labelNames: ['extractor', 'outcome'],
    registers,
  });
  const facts = new Counter({
    name: 'mneme_extraction_facts_total',
    help: 'Facts and notes that were extracted, by their effect.',
    labelNames: ['outcome'],
    registers,
  });
  const duration = new Histogram({
    name: 'mneme_extraction_duration_seconds',
    help: 'Time from the start of a batch of turns to its end.',
    labelNames: ['extractor', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  return {
    batchEnded(name, outcome, { turnCount, durationMs }) {
      const labels = { extractor: EXTRACTORS.has(name) ? name : 'other', outcome };
      turns.inc(labels, turnCount);
      duration.observe(labels, durationMs / 1000);
    },
    factsStored(outcome, count) {
      facts.inc({ outcome }, count);
    },
  };
}
