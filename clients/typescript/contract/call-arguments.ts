import { OPTION_SHAPES } from '../../../gen/ts/client/option-shapes.ts';
import { namesOf, optionsOf } from '../src/option-faults.ts';
import type { Call, ShapeTable } from '../src/option-shapes.ts';

const TABLE = OPTION_SHAPES as ShapeTable;

/** The arguments of a scenario that are options of the call; its query has all others but the parameters of their own. */
export function splitArguments(
  group: string,
  name: string,
  positional: readonly string[],
  args: Readonly<Record<string, unknown>>,
): { readonly query: Record<string, unknown>; readonly options: Record<string, unknown> } {
  const named = group === 'session' ? 'WorkingMemory' : group === '' ? 'Mneme' : TABLE.calls['Mneme']?.[group];
  const call = typeof named === 'string' ? (TABLE.calls[named]?.[name] as Call | undefined) : undefined;
  const knownBy = (of: readonly (readonly [string, Call['parameters'][number][1]])[]) =>
    new Set(of.flatMap(([, shape]) => namesOf(optionsOf(TABLE, shape))));
  const parameters = call?.parameters ?? [];
  const inOptions = knownBy(parameters.filter(([parameter]) => parameter === 'options?'));
  const inQuery = knownBy(parameters.filter(([parameter]) => parameter !== 'options?'));
  const hasQuery = positional.includes('*');
  const own = Object.entries(args).filter(
    ([key]) => !positional.includes(key) && !(group === 'session' && key === 'session'),
  );
  const isOption = ([key]: readonly [string, unknown]) => !hasQuery || (inOptions.has(key) && !inQuery.has(key));
  return {
    query: Object.fromEntries(own.filter((each) => !isOption(each))),
    options: Object.fromEntries(own.filter(isOption)),
  };
}
