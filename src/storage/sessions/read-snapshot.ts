import type { Content, Micros } from '../../memory/memory.ts';
import { type Entry, isExpired, type Note, type SessionSnapshot } from '../../memory/session.ts';
import { taskOf } from './entry-ops.ts';
import { damaged, decodeNotes, decompressed, type Manifest, type ManifestEntry, type Place } from './manifest.ts';

/** Reads the bytes of a checkpoint from its packs, and decompresses each pack once. */
export class SnapshotReader {
  private readonly name: string;
  private readonly packOf: (number: number) => Uint8Array | undefined;
  private readonly packs = new Map<number, Buffer>();

  constructor(name: string, packOf: (number: number) => Uint8Array | undefined) {
    this.name = name;
    this.packOf = packOf;
  }

  content(entry: ManifestEntry): Content {
    return { mediaType: entry.mediaType, data: new Uint8Array(this.bytesAt(entry)) };
  }

  notes(manifest: Manifest): Note[] {
    return manifest.segments.flatMap((segment) =>
      decodeNotes(this.bytesAt(segment)).filter(({ sequence }) => sequence >= segment.from),
    );
  }

  /** Without expired data. */
  snapshot(manifest: Manifest, nowUs: Micros): SessionSnapshot {
    const entries: Entry[] = manifest.entries
      .filter((entry) => !isExpired(entry, nowUs))
      .map((entry) => {
        const { pack: _, offset: __, length: ___, mediaType: ____, ...head } = entry;
        return { ...head, version: entry.contentRevision, content: this.content(entry) };
      });
    const task = taskOf(manifest.task);
    return { revision: manifest.revision, entries, notes: this.notes(manifest), task };
  }

  private bytesAt({ pack, offset, length }: Place): Buffer {
    let bytes = this.packs.get(pack);
    if (!bytes) {
      const data = this.packOf(pack);
      if (!data) throw damaged(this.name);
      bytes = decompressed(this.name, data);
      this.packs.set(pack, bytes);
    }
    return bytes.subarray(offset, offset + length);
  }
}
