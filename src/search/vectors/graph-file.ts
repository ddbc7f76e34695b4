import { join } from 'node:path';
import { FileDamaged, type FileRecord, FormerFile, readVerified } from './snapshot-files.ts';
import { GRAPH_METRIC, GRAPH_QUANTIZATION, USEARCH_VERSION, UsearchGraph } from './usearch.ts';

/** What a manifest says of a graph file. */
export interface GraphDescription {
  /** Of the vectors. */
  readonly model: string;
  readonly dimension: number;
  readonly metric: string;
  readonly quantization: string;
  readonly usearchVersion: string;
  readonly graphCount: number;
  readonly graphSlots: number;
}

/** `graph`: absent where there is none. */
export function describeGraph(
  graph: UsearchGraph | undefined,
  { model, dimension }: Pick<GraphDescription, 'model' | 'dimension'>,
): GraphDescription {
  return {
    model,
    dimension,
    metric: GRAPH_METRIC,
    quantization: GRAPH_QUANTIZATION,
    usearchVersion: USEARCH_VERSION,
    graphCount: graph?.size ?? 0,
    graphSlots: graph?.slots ?? 0,
  };
}

/** Throws `FormerFile` for a graph of other vectors, or of another version of the library. */
export function refuseOther(
  found: GraphDescription,
  { model, dimension }: Pick<GraphDescription, 'model' | 'dimension'>,
) {
  const has = [found.model, found.dimension, found.metric, found.quantization, found.usearchVersion];
  const due = [model, dimension, GRAPH_METRIC, GRAPH_QUANTIZATION, USEARCH_VERSION];
  const place = due.findIndex((value, at) => value !== has[at]);
  if (place >= 0) throw new FormerFile(`the snapshot is of "${has[place]}", not of "${due[place]}"`);
}

/** Throws `FileDamaged` for a file that is not as the manifest says: a damaged one could kill the process. */
export function readGraph(
  folder: string,
  record: FileRecord,
  { dimension, graphCount, graphSlots }: GraphDescription,
  expansionSearch?: number,
): UsearchGraph {
  const path = join(folder, record.name);
  readVerified(path, record, () => undefined);
  try {
    return UsearchGraph.load(path, { dimension, count: graphCount, slots: graphSlots }, expansionSearch);
  } catch (error) {
    // A disk that was full may have cut the file short before it was hashed.
    throw new FileDamaged(`${record.name} cannot be loaded`, { cause: error });
  }
}
