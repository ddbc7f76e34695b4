import type {
  TsFnParameter,
  TsInterfaceDeclaration,
  TsMappedType,
  TsMethodSignature,
  TsType,
  TsTypeElement,
  TsTypeReference,
} from '@swc/core';
import type { Call, Calls, ObjectShape, Shape, ShapeTable } from '../../clients/typescript/src/option-shapes.ts';
import { declarationOf } from './declarations.ts';

/** Where a type stands: its file, and the types that its parameters stand for. */
interface Place {
  readonly file: string;
  readonly types: ReadonlyMap<string, Shape>;
}

/** Types with a check of their own, or that hold data of any form. */
const SPECIAL: Readonly<Record<string, Shape>> = {
  Date: 'time',
  TimeLike: 'time',
  Filter: 'filter',
  Json: 'any',
  JSONValue: 'any',
  Content: 'any',
  Function: 'function',
  MessageLike: 'any',
  RawMethod: 'any',
};
const KEYWORDS: Readonly<Record<string, Shape>> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  bigint: 'bigint',
  null: 'null',
  undefined: 'undefined',
  void: 'undefined',
};
const LISTS: ReadonlySet<string> = new Set(['Array', 'ReadonlyArray']);
const STREAMS: ReadonlySet<string> = new Set(['AsyncIterable', 'Iterable']);

/** Shapes of the option types that are reachable from its roots, by their names. */
export class Shapes {
  readonly objects: Record<string, ObjectShape> = {};
  readonly calls: Record<string, Calls> = {};
  readonly #roots: string[] = [];
  readonly #names = new Map<string, string>();

  /** The shape of a type by its name in a file; its name in the table is `as`. */
  addOptions(file: string, name: string, as: string): void {
    this.#names.set(`${file}#${name}`, as);
    this.#roots.push(as);
    this.#named(file, name);
  }

  /** The calls of an interface, and those of the interfaces that its properties and answers have. */
  addCalls(file: string, name: string): boolean {
    if (Object.hasOwn(this.calls, name)) return true;
    const found = declarationOf(file, name);
    if (found?.declaration.type !== 'TsInterfaceDeclaration') return false;
    const calls: Record<string, Call | string> = {};
    this.calls[name] = calls;
    this.#collectCalls(found.file, found.declaration, calls);
    if (Object.values(calls).some((call) => typeof call === 'object')) return true;
    delete this.calls[name];
    return false;
  }

  /** The table, without the types that only others outside of it refer to. */
  table(): ShapeTable {
    const objects: Record<string, ObjectShape> = {};
    const keep = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if ('ref' in value && typeof value.ref === 'string' && !Object.hasOwn(objects, value.ref))
        this.#keep(value.ref, objects, keep);
      for (const each of Object.values(value)) keep(each);
    };
    for (const root of this.#roots) this.#keep(root, objects, keep);
    keep(this.calls);
    return { objects, calls: this.calls };
  }

  #keep(name: string, objects: Record<string, ObjectShape>, keep: (value: unknown) => void): void {
    const shape = this.objects[name];
    if (shape === undefined) throw new Error(`no type ${name}`);
    objects[name] = shape;
    keep(shape);
  }

  #collectCalls(file: string, declaration: TsInterfaceDeclaration, calls: Record<string, Call | string>): void {
    for (const parent of declaration.extends) {
      const found = parent.expression.type === 'Identifier' && declarationOf(file, parent.expression.value);
      if (!found) continue;
      if (found.declaration.type !== 'TsInterfaceDeclaration') continue;
      this.#collectCalls(found.file, found.declaration, calls);
    }
    for (const member of declaration.body.body) {
      const name = keyOf(member);
      if (member.type === 'TsMethodSignature') calls[name] = this.#call(file, member);
      const type = member.type === 'TsPropertySignature' ? member.typeAnnotation?.typeAnnotation : undefined;
      const target = type && nameOf(type);
      if (target !== undefined && this.addCalls(file, target)) calls[name] = target;
    }
  }

  #call(file: string, { params, typeAnn, typeParams }: TsMethodSignature): Call {
    const own = (typeParams?.parameters ?? []).map(({ name }) => [name.value, 'any'] as const);
    const place = { file, types: new Map<string, Shape>(own) };
    const answer = typeAnn?.typeAnnotation;
    const target = answer && nameOf(answer);
    const inside = target === 'Promise' ? nameOf((answer as TsTypeReference).typeParams?.params[0]) : target;
    const nested = inside !== undefined && !STREAMS.has(inside) && this.addCalls(file, inside) ? inside : undefined;
    return {
      parameters: params.map((param) => this.#parameter(param, place)),
      ...(target === 'Promise' && { isPromise: true }),
      answer: nested,
    };
  }

  #parameter(param: TsFnParameter, place: Place): readonly [string, Shape] {
    if (param.type !== 'Identifier') throw new Error(`a parameter of ${place.file} has no name`);
    const shape = this.#shape(param.typeAnnotation?.typeAnnotation, place);
    return [param.optional ? `${param.value}?` : param.value, shape];
  }

  #shape(type: TsType | undefined, place: Place): Shape {
    switch (type?.type) {
      case 'TsKeywordType':
        return KEYWORDS[type.kind] ?? 'any';
      case 'TsParenthesizedType':
        return this.#shape(type.typeAnnotation, place);
      case 'TsTypeOperator':
        return type.op === 'readonly'
          ? this.#shape(type.typeAnnotation, place)
          : this.#keysOf(type.typeAnnotation, place);
      case 'TsArrayType':
        return { list: this.#shape(type.elemType, place) };
      case 'TsUnionType':
        return either(type.types.map((each) => this.#shape(each, place)));
      case 'TsIntersectionType':
        return this.#merged(type.types.map((each) => this.#shape(each, place)));
      case 'TsLiteralType':
        return type.literal.type === 'StringLiteral' ||
          type.literal.type === 'NumericLiteral' ||
          type.literal.type === 'BooleanLiteral'
          ? { one: [type.literal.value] }
          : 'string';
      case 'TsTypeLiteral':
        return { object: this.#members(type.members, place) };
      case 'TsFunctionType':
        return 'function';
      case 'TsMappedType':
        return this.#mapped(type, place);
      case 'TsTypeReference':
        return this.#reference(type, place);
      default:
        return 'any';
    }
  }

  #reference(type: TsTypeReference, place: Place): Shape {
    const name = nameOf(type);
    if (name === undefined) return 'any';
    const bound = place.types.get(name);
    if (bound !== undefined) return bound;
    if (Object.hasOwn(SPECIAL, name)) return SPECIAL[name] ?? 'any';
    const types = type.typeParams?.params ?? [];
    const [first = 'any', second = 'any'] = types.map((each) => this.#shape(each, place));
    if (LISTS.has(name)) return { list: first };
    if (STREAMS.has(name)) return { each: first };
    if (name === 'Record') return this.#record(first, second);
    if (['Readonly', 'NonNullable'].includes(name)) return first;
    if (name === 'Exclude') return { one: namesIn(first).filter((each) => !namesIn(second).includes(each)) };
    if (['Partial', 'Required', 'Omit', 'Pick'].includes(name)) return this.#altered(name, first, second);
    return this.#declared(name, [first, second].slice(0, types.length), place);
  }

  #declared(name: string, given: readonly Shape[], place: Place): Shape {
    const found = declarationOf(place.file, name);
    if (!found) return 'any';
    const { file, declaration } = found;
    const parameters = declaration.typeParams?.parameters.map((each) => each.name.value) ?? [];
    if (parameters.length === 0) return this.#named(file, declaration.id.value);
    return this.#body(file, declaration.id.value, new Map(parameters.map((each, at) => [each, given[at] ?? 'any'])));
  }

  #named(file: string, name: string): Shape {
    const key = `${file}#${name}`;
    const known = this.#names.get(key);
    const as = known ?? name;
    if (known !== undefined && Object.hasOwn(this.objects, as)) return { ref: as };
    if (Object.hasOwn(this.objects, as)) throw new Error(`two types have the name ${as}: ${key}`);
    this.#names.set(key, as);
    // Types that hold themselves find their name.
    this.objects[as] = {};
    const shape = this.#body(file, name, new Map());
    if (typeof shape === 'object' && 'object' in shape) {
      this.objects[as] = shape.object;
      return { ref: as };
    }
    delete this.objects[as];
    this.#names.delete(key);
    return shape;
  }

  #body(file: string, name: string, types: ReadonlyMap<string, Shape>): Shape {
    const found = declarationOf(file, name);
    if (!found) return 'any';
    const { declaration } = found;
    const place = { file, types };
    if (declaration.type === 'TsTypeAliasDeclaration') return this.#shape(declaration.typeAnnotation, place);
    const parents = declaration.extends.map(({ expression, typeArguments }) =>
      this.#reference(
        { type: 'TsTypeReference', typeName: expression, typeParams: typeArguments } as TsTypeReference,
        place,
      ),
    );
    // A class has members that are not declared here.
    if (parents.some((parent) => parent === 'any')) return 'any';
    const own = this.#members(declaration.body.body, place);
    // Options without a method are data; others are instances, such as a client.
    const isInstance = declaration.body.body.some((each) => each.type === 'TsMethodSignature');
    return isInstance ? 'any' : this.#merged([...parents, { object: own }]);
  }

  #members(members: readonly TsTypeElement[], place: Place): ObjectShape {
    const shape: Record<string, Shape> = {};
    for (const member of members) {
      if (member.type === 'TsIndexSignature') shape['*'] = this.#shape(member.typeAnnotation?.typeAnnotation, place);
      if (member.type === 'TsMethodSignature') shape[keyOf(member)] = 'function';
      if (member.type !== 'TsPropertySignature') continue;
      shape[`${keyOf(member)}${member.optional ? '?' : ''}`] = this.#shape(
        member.typeAnnotation?.typeAnnotation,
        place,
      );
    }
    return shape;
  }

  #mapped({ typeParam, optional, typeAnnotation }: TsMappedType, place: Place): Shape {
    const key = typeParam.name.value;
    const { constraint } = typeParam;
    const keys = constraint ? namesIn(this.#shape(constraint, place)) : [];
    const of =
      constraint?.type === 'TsTypeOperator' ? this.#objectOf(this.#shape(constraint.typeAnnotation, place)) : undefined;
    const memberOf = (type: TsType | undefined, name: string): Shape => {
      if (type?.type === 'TsUnionType') return either(type.types.map((each) => memberOf(each, name)));
      const isOwn = type?.type === 'TsIndexedAccessType' && nameOf(type.indexType) === key;
      return isOwn ? (of?.[name] ?? of?.[`${name}?`] ?? 'any') : this.#shape(type, place);
    };
    return {
      object: Object.fromEntries(keys.map((name) => [`${name}${optional ? '?' : ''}`, memberOf(typeAnnotation, name)])),
    };
  }

  #keysOf(type: TsType, place: Place): Shape {
    return { one: Object.keys(this.#objectOf(this.#shape(type, place)) ?? {}).map((name) => name.replace('?', '')) };
  }

  #record(keys: Shape, value: Shape): Shape {
    const names = namesIn(keys);
    return { object: names.length === 0 ? { '*': value } : Object.fromEntries(names.map((name) => [name, value])) };
  }

  #altered(how: string, shape: Shape, keys: Shape): Shape {
    const members = this.#objectOf(shape);
    if (!members) return shape;
    const named = new Set(namesIn(keys));
    const kept = Object.entries(members).flatMap(([key, value]): [string, Shape][] => {
      const name = key.replace('?', '');
      if (how === 'Partial') return [[name === '*' ? name : `${name}?`, value]];
      if (how === 'Required') return [[name, value]];
      return named.has(name) === (how === 'Pick') ? [[key, value]] : [];
    });
    return { object: Object.fromEntries(kept) };
  }

  /** One shape with the members of all; where one of them is a choice, a choice of such shapes. */
  #merged(shapes: readonly Shape[]): Shape {
    const [only] = shapes;
    if (shapes.length === 1 && only !== undefined) return only;
    const choice = shapes.findIndex((shape) => typeof shape === 'object' && 'either' in shape);
    if (choice !== -1) {
      const { either: choices } = shapes[choice] as { readonly either: readonly Shape[] };
      return either(choices.map((each) => this.#merged(shapes.with(choice, each))));
    }
    const members = shapes.map((shape) => this.#objectOf(shape));
    if (members.some((each) => each === undefined)) return 'any';
    // The options of the call itself come first, those of every call last.
    const byName = new Map<string, [string, Shape]>();
    for (const [key, value] of members.toReversed().flatMap((each) => Object.entries(each ?? {}))) {
      const name = key.replace('?', '');
      if (!byName.has(name)) byName.set(name, [key, value]);
    }
    return { object: Object.fromEntries(byName.values()) };
  }

  #objectOf(shape: Shape): ObjectShape | undefined {
    if (typeof shape !== 'object') return undefined;
    if ('object' in shape) return shape.object;
    return 'ref' in shape ? this.objects[shape.ref] : undefined;
  }
}

function either(shapes: readonly Shape[]): Shape {
  const flat = shapes.flatMap((shape) => (typeof shape === 'object' && 'either' in shape ? shape.either : [shape]));
  if (flat.includes('any')) return 'any';
  const literals = flat.flatMap((shape) => (typeof shape === 'object' && 'one' in shape ? shape.one : []));
  const others = flat.filter((shape) => typeof shape !== 'object' || !('one' in shape));
  const distinct = [...new Map(others.map((shape) => [JSON.stringify(shape), shape])).values()];
  // A Filter object may stand beside text; true and false are the literals of a boolean.
  const all: Shape[] = literals.length === 0 ? distinct : [...distinct, { one: literals }];
  return all.length === 1 && all[0] !== undefined ? all[0] : { either: all };
}

function namesIn(shape: Shape): string[] {
  return typeof shape === 'object' && 'one' in shape ? shape.one.map(String) : [];
}

function nameOf(type: TsType | undefined): string | undefined {
  if (type?.type === 'TsTypeReference' && type.typeName.type === 'Identifier') return type.typeName.value;
  return undefined;
}

function keyOf(member: TsTypeElement): string {
  if (!('key' in member)) return '';
  return member.key.type === 'Identifier' || member.key.type === 'StringLiteral' ? member.key.value : '';
}
