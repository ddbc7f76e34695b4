import { allOf, metadataOf, NARROWING, tierFilter, tierOf, typeOf } from './common-parameters.ts';
import type { Plan, Preset } from './preset.ts';

const SIZE_DEFAULT = 5;
const SIZE_MAX = 1000;

export const sequence: Preset = {
  name: 'sequence',
  description:
    'A memory and the events before and after it among memories of its kind (its `content.metadata.type`, or its type), in the order of time. `metadata_filter` selects among these; a limit cuts off the end.',
  parameters: [
    {
      name: 'reference_id',
      description:
        "Id of the memory in the middle; it must be in the tier and be admitted by the request's scope and filter.",
      kinds: ['string'],
      required: true,
    },
    {
      name: 'sequence_size',
      description: `Total number of memories: half of the others before, the remainder after. Default ${SIZE_DEFAULT}, unless counts or a window are specified.`,
      kinds: ['integer'],
      min: 1,
      max: SIZE_MAX,
    },
    { name: 'before_count', description: 'How many before it.', kinds: ['integer'], min: 0, max: SIZE_MAX },
    { name: 'after_count', description: 'How many after it.', kinds: ['integer'], min: 0, max: SIZE_MAX },
    {
      name: 'time_window_minutes',
      description: 'All events within this many minutes before or after it, whatever the counts.',
      kinds: ['number'],
      min: 0,
    },
    { name: 'timestamp_field', description: 'Path of the time that orders.', kinds: ['string'], default: 'timestamp' },
    ...NARROWING.map((parameter) => (parameter.name === 'tier' ? { ...parameter, default: 'stm' } : parameter)),
  ],
  resolve(reading): Plan {
    const size = reading.optionalNumber('sequence_size');
    const before = reading.optionalNumber('before_count');
    const after = reading.optionalNumber('after_count');
    const windowMinutes = reading.optionalNumber('time_window_minutes');
    if (reading.text('reference_id') === '') reading.add('reference_id', 'must not be empty');
    if (reading.isSet('sequence_size') && (reading.isSet('before_count') || reading.isSet('after_count'))) {
      reading.add('sequence_size', 'must not be set together with before_count or after_count');
    }
    const filter = allOf([tierOf(reading) ?? tierFilter('stm'), typeOf(reading)]);
    const keptFilter = metadataOf(reading);
    return {
      kind: 'sequence',
      referenceId: reading.text('reference_id'),
      ...(windowMinutes === undefined ? countsOf(size, before, after) : { windowUs: windowMinutes * 60_000_000 }),
      timePath: reading.text('timestamp_field'),
      filter,
      keptFilter,
      limitDefault: SIZE_MAX,
    };
  },
};

/** When one count is specified, the other defaults to 0. */
function countsOf(
  size: number | undefined,
  before: number | undefined,
  after: number | undefined,
): { beforeCount: number; afterCount: number } {
  if (before !== undefined || after !== undefined) return { beforeCount: before ?? 0, afterCount: after ?? 0 };
  const others = (size ?? SIZE_DEFAULT) - 1;
  const beforeCount = Math.floor(others / 2);
  return { beforeCount, afterCount: others - beforeCount };
}
