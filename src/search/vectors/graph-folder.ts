import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { GraphFiles, GraphKind, KeptGraph, KeptScales } from '../recall/kept-graphs.ts';
import { describeGraph, type GraphDescription, readGraph, refuseOther } from './graph-file.ts';
import {
  type FileRecord,
  FormerFile,
  fileNameAfter,
  hashWritten,
  isRefusal,
  type OnRefused,
  putManifest,
  readLastManifest,
  readManifest,
  readVerified,
  writeHashed,
} from './snapshot-files.ts';
import { UsearchGraph } from './usearch.ts';
import type { IndexOwner, StoreState } from './vector-index.ts';

/** Increase it when the form or the meaning of the files changes: older graphs are then grown again. */
const GRAPHS_FORMAT = 1;

interface Manifest extends GraphDescription, StoreState {
  readonly format: number;
  readonly graph: FileRecord;
  readonly places: FileRecord;
  readonly scales?: KeptScales;
}

/** Graphs over vectors that recall computes; each in a folder of its own that has one complete set of files at any time. */
export class GraphFolder implements GraphFiles {
  private readonly folder: string;
  private readonly models: Readonly<Record<GraphKind, string>>;
  private readonly onRefused: OnRefused;

  /** `models` name what computes the vectors. */
  constructor(dataFolder: string, models: Readonly<Record<GraphKind, string>>, onRefused: OnRefused) {
    this.folder = join(dataFolder, 'graphs');
    this.models = models;
    this.onRefused = onRefused;
  }

  load({ key, name }: IndexOwner, kind: GraphKind, dimension: number): (KeptGraph & StoreState) | undefined {
    const folder = this.folderOf(key, kind);
    try {
      const manifest = readManifest(folder) as Manifest | undefined;
      if (!manifest) return undefined;
      const { format, revision, mark, scales } = manifest;
      if (format !== GRAPHS_FORMAT) throw new FormerFile(`the snapshot is of format ${format}, not ${GRAPHS_FORMAT}`);
      refuseOther(manifest, { model: this.models[kind], dimension });
      const places = readVerified(join(folder, manifest.places.name), manifest.places, (fill) => {
        const read = new Uint8Array(manifest.places.bytes);
        fill(read);
        return read;
      });
      const graph = readGraph(folder, manifest.graph, manifest);
      return { graph, places, revision, mark, scales };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.onRefused(name, error.message, error instanceof FormerFile);
      return undefined;
    }
  }

  async save({ key }: IndexOwner, kind: GraphKind, kept: KeptGraph, { revision, mark }: StoreState): Promise<void> {
    const { graph, places, scales } = kept;
    if (!(graph instanceof UsearchGraph)) throw new TypeError('a graph of another folder');
    const folder = this.folderOf(key, kind);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const last = readLastManifest(folder) as Manifest | undefined;
    const graphName = fileNameAfter(last?.graph.name, 'graph');
    const placesName = fileNameAfter(last?.places.name, 'places');
    const described = describeGraph(graph, { model: this.models[kind], dimension: graph.dimension });
    graph.save(join(folder, graphName));
    const manifest: Manifest = {
      ...described,
      format: GRAPHS_FORMAT,
      revision,
      mark,
      graph: await hashWritten(join(folder, graphName), graphName),
      places: await writeHashed(join(folder, placesName), placesName, [places]),
      scales,
    };
    await putManifest(folder, manifest);
    for (const former of [last?.graph.name, last?.places.name]) {
      if (former !== undefined) await rm(join(folder, former), { force: true });
    }
  }

  forget(ownerKey: number): void {
    rmSync(join(this.folder, String(ownerKey)), { recursive: true, force: true });
  }

  private folderOf(ownerKey: number, kind: GraphKind): string {
    return join(this.folder, String(ownerKey), kind);
  }
}
