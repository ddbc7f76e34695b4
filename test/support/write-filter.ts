import { isDeepStrictEqual } from 'node:util';
import { type Area, type Comparison, type Filter, type FilterValue, isJsonValue } from '../../src/memory/filter.ts';
import { fieldNamed } from '../../src/memory/filter-text/fields.ts';
import type { TestRandom } from './random.ts';

/** A filter as a text; alternatives of notation are chosen at random. */
export function writeFilter(filter: Filter, random: TestRandom): string {
  switch (filter.kind) {
    case 'all':
      return filter.filters.map((part) => writePart(part, random)).join(random.pick([' AND ', ' and ', '\nAND ']));
    case 'any':
      return filter.filters.map((part) => writePart(part, random)).join(random.pick([' OR ', ' or ']));
    case 'not':
      return writeNot(filter.filter, random);
    case 'place':
      return writeArea(filter.area);
    case 'comparison':
      return writeComparison(filter, random);
  }
}

/** In parentheses where it is a group. */
function writePart(part: Filter, random: TestRandom): string {
  const text = writeFilter(part, random);
  const isGroup = part.kind === 'all' || part.kind === 'any';
  return !isGroup && random.chance(0.9) ? text : `(${text})`;
}

function writeNot(filter: Filter, random: TestRandom): string {
  if (filter.kind === 'comparison' && filter.operator === 'equals' && random.chance(0.3)) {
    const { target, values, ignoreCase } = filter;
    return `${writeTarget(target, ignoreCase)} != ${writeValue(values[0] ?? '')}`;
  }
  const isSimple = filter.kind === 'comparison' || filter.kind === 'place';
  const text = isSimple ? writeFilter(filter, random) : `(${writeFilter(filter, random)})`;
  return `${random.pick(['NOT ', 'not ', '-'])}${text}`;
}

function writeComparison({ target, operator, values, ignoreCase }: Comparison, random: TestRandom): string {
  const left = writeTarget(target, ignoreCase);
  const value = values[0] ?? '';
  switch (operator) {
    case 'equals': {
      const isTag = target.kind === 'field' && target.field === 'tag' && typeof value === 'string';
      return `${left}${isTag && random.chance(0.5) ? ':' : ' = '}${writeValue(value)}`;
    }
    case 'less':
      return `${left}<${writeValue(value)}`;
    case 'less_or_equal':
      return `${left} <= ${writeValue(value)}`;
    case 'greater':
      return `${left} > ${writeValue(value)}`;
    case 'greater_or_equal':
      return `${left}>=${writeValue(value)}`;
    case 'in':
      return `${left} IN (${values.map(writeValue).join(', ')})`;
    case 'exists':
      return `${left}:*`;
    case 'is_null':
      return `${left} = null`;
    case 'contains': {
      const isTag = target.kind === 'field' && target.field === 'tag' && typeof value === 'string';
      return isTag || random.chance(0.3) ? `contains(${left}, ${writeValue(value)})` : `${left}:${writeValue(value)}`;
    }
    default:
      return `${operator}(${left}, ${writeValue(value)})`;
  }
}

function writeTarget(target: Comparison['target'], ignoreCase: boolean): string {
  const name = target.kind === 'field' ? target.field : ['content', ...target.path.map(writeKey)].join('.');
  return ignoreCase ? `lower(${name})` : name;
}

function writeKey(key: string): string {
  return /^\w+$/.test(key) ? key : JSON.stringify(key);
}

function writeValue(value: FilterValue): string {
  if (typeof value === 'object') {
    return isJsonValue(value) ? JSON.stringify(value.json) : instantText(value.timeUs);
  }
  if (typeof value === 'string') return JSON.stringify(value);
  return Object.is(value, -0) ? '-0' : String(value);
}

function instantText(timeUs: number): string {
  const seconds = Math.floor(timeUs / 1e6);
  const micros = String(timeUs - seconds * 1e6).padStart(6, '0');
  return new Date(seconds * 1000).toISOString().replace('.000Z', `.${micros}Z`);
}

function writeArea(area: Area): string {
  const point = ({ x, y, z }: { x: number; y: number; z?: number }) =>
    JSON.stringify(z === undefined ? [x, y] : [x, y, z]);
  const geo = (at: { latitudeDeg: number; longitudeDeg: number }) => JSON.stringify([at.latitudeDeg, at.longitudeDeg]);
  switch (area.kind) {
    case 'point_radius':
      return `within_radius(${point(area.center)}, ${area.radius})`;
    case 'point_box':
      return `within_box(${point(area.low)}, ${point(area.high)})`;
    case 'geo_radius':
      return `within_geo_radius(${geo(area.center)},${area.radiusM})`;
    case 'geo_box':
      return `within_geo_box( ${geo(area.southWest)} , ${geo(area.northEast)} )`;
  }
}

/**
 * Whether the text form can express it: fields are compared with values of their type, groups have more than one part.
 */
export function isSayable(filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.filters.length > 1 && filter.filters.every(isSayable);
    case 'not':
      return isSayable(filter.filter);
    case 'place':
      return true;
    case 'comparison':
      return filter.target.kind === 'path' ? isSayableOfContent(filter) : isSayableOfField(filter);
  }
}

function isSayableOfContent({ operator, values }: Comparison): boolean {
  return values.every((value) => {
    if (typeof value === 'object' && !isJsonValue(value)) return false;
    const isWhole = typeof value === 'object';
    if (isWhole && value.json === null && operator === 'equals') return false;
    if (isWhole && !isDeepStrictEqual(JSON.parse(JSON.stringify(value.json)), value.json)) return false;
    if (operator === 'starts_with' || operator === 'matches') return typeof value === 'string';
    return !isWhole || operator === 'equals' || operator === 'in' || operator === 'contains';
  });
}

function isSayableOfField({ target, operator, values, ignoreCase }: Comparison): boolean {
  if (target.kind !== 'field' || operator === 'is_null') return false;
  const kind = fieldNamed(target.field)?.kind;
  const isOfText = kind === 'text' || kind === 'tags';
  if (!isOfText && (ignoreCase || operator === 'contains' || operator === 'starts_with')) return false;
  return values.every((value) => {
    if (kind === 'number') return typeof value === 'number';
    if (kind === 'time') return typeof value === 'object' && !isJsonValue(value);
    const isTierNamed = typeof value === 'string' && ['short_term', 'intermediate', 'long_term'].includes(value);
    if (target.field === 'tier' && (operator === 'equals' || operator === 'in')) return isTierNamed;
    return typeof value === 'string' && value.isWellFormed();
  });
}
