/** Where each declaration of the API is described: which page, and under which heading. Nothing here depends on names of the API. */
import type { DescEnum, DescFile, DescMessage, DescMethod, DescService, Registry } from '@bufbuild/protobuf';

export type Declared = DescService | DescMethod | DescMessage | DescEnum;

export interface Page {
  /** File name below docs/api. */
  readonly name: string;
  readonly title: string;
  readonly file: DescFile;
  /** In the order of the page. */
  readonly sections: readonly Section[];
}

export interface Section {
  readonly desc: Declared;
  /** Number of # before it; a service that has the page for itself is its title. */
  readonly level: number;
  readonly anchor: string;
}

export interface Book {
  readonly pages: readonly Page[];
  /** Relative to a page of the book; undefined for what is not described in it. */
  linkTo(desc: Declared): string | undefined;
}

/** One page for each file that declares anything. */
export function bookOf(files: readonly DescFile[]): Book {
  const names = new Set<string>();
  const pages = files.filter(declaresAnything).map((file) => {
    const name = freeName(file, names);
    names.add(name);
    return { name: `${name}.md`, title: titleOf(file), file, sections: sectionsOf(file) };
  });
  const links = new Map<Declared, string>();
  for (const { name, sections } of pages) {
    for (const { desc, anchor, level } of sections) links.set(desc, level === 1 ? name : `${name}#${anchor}`);
  }
  return { pages, linkTo: (desc) => links.get(desc) };
}

/** The API's own files by package and name, without those of others that it imports. */
export function ownFilesOf(
  registry: Registry & { readonly files: Iterable<DescFile> },
  isOwn: (name: string) => boolean,
) {
  return [...registry.files].filter(({ name }) => isOwn(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function nestedOf(message: DescMessage): readonly (DescMessage | DescEnum)[] {
  return [...message.nestedEnums, ...message.nestedMessages.flatMap((inner) => [inner, ...nestedOf(inner)])];
}

function declaresAnything({ services, messages, enums }: DescFile): boolean {
  return services.length + messages.length + enums.length > 0;
}

/** `mneme/v1/memory_service.proto` → `memory-service`; with the package before it where two files have the same name. */
function freeName(file: DescFile, taken: ReadonlySet<string>): string {
  const parts = file.name.replaceAll('_', '-').split('/');
  const base = parts.at(-1) ?? '';
  return taken.has(base) || base === 'README' ? `${file.proto.package.replaceAll('.', '-')}-${base}` : base;
}

function titleOf({ services, name }: DescFile): string {
  if (services.length > 0) return services.map((service) => service.name).join(', ');
  const words = (name.split('/').at(-1) ?? '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Heading over what no method of the page takes or gives directly. */
export const REST_HEADING = 'Other messages';

/** Services with their methods, each with its request and answer; then the other messages and enums. */
function sectionsOf(file: DescFile): readonly Section[] {
  const placed = new Set<Declared>();
  const sections: Section[] = [];
  const anchors = new Map<string, number>([titleOf(file), REST_HEADING].map((heading) => [slug(heading), 1]));
  const place = (desc: Declared, level: number) => {
    if (placed.has(desc)) return;
    placed.add(desc);
    const base = slug(headingOf(desc));
    const seen = level === 1 ? 0 : (anchors.get(base) ?? 0);
    anchors.set(base, seen + 1);
    sections.push({ desc, level, anchor: seen === 0 ? base : `${base}-${seen}` });
  };
  const top = file.services.length > 1 ? 2 : 1;
  for (const service of file.services) {
    place(service, top);
    for (const method of service.methods) {
      place(method, top + 1);
      for (const message of [method.input, method.output]) if (message.file === file) place(message, top + 2);
    }
  }
  const rest = [...file.messages.flatMap((message) => [message, ...nestedOf(message)]), ...file.enums];
  for (const desc of rest) place(desc, file.services.length > 0 ? 3 : 2);
  return sections;
}

/** Nested types carry the names of those around them. */
export function headingOf(desc: Declared): string {
  if (desc.kind === 'service' || desc.kind === 'rpc' || desc.parent === undefined) return desc.name;
  return `${headingOf(desc.parent)}.${desc.name}`;
}

/** As GitHub makes anchors of headings. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
