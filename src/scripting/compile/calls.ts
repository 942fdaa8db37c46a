// Calls: methods, functions of the script and of its context, constructors, arrays.
import { DEF, INT, type Method, type Type, VOID } from '../java/class-info.ts';
import { CallSite } from '../runtime/dynamic.ts';
import { unplacedError } from '../syntax/script-error.ts';
import type { Expression } from '../syntax/tree.ts';
import { boxedName, infoNamed } from './casts.ts';
import { conversion, converted } from './convert.ts';
import { invoked, nullSafe, placed } from './members.ts';
import { expected } from './operators.ts';
import type { Scope } from './scope.ts';
import type { Checked, Unit, Use } from './unit.ts';

type Node<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

const INTERNAL = { internal: true } as const;

function converts(unit: Unit, scope: Scope, args: readonly Expression[], params: readonly Type[]): string[] {
  return args.map((arg, i) => expected(unit, scope, arg, params[i], INTERNAL));
}

export function call(unit: Unit, scope: Scope, node: Node<'call'>, use: Use): Checked {
  const { name, args, at } = node;
  if (use.write) throw unit.error(at, `invalid assignment: cannot assign a value to method call [${name}/${args.length}]`);
  const prefix = unit.typeOrExpression(unit, scope, node.object, {});
  if (prefix.partial !== undefined) throw unit.error(at, `cannot resolve symbol [${prefix.partial}]`);
  const key = `${name}/${args.length}`;
  const { type } = prefix;
  if (prefix.isStatic) {
    const method = type.info?.statics.get(key);
    if (!method) throw unit.error(at, `static method [${type.name}, ${key}] not found`);
    return { type: method.returns, js: invoked(unit, method, converts(unit, scope, args, method.params), at) };
  }
  const object = node.nullSafe ? unit.newTemporary() : prefix.js;
  const found = type.isDef ? dynamicCall(unit, scope, node, object, use) : methodCall(unit, scope, node, object, type);
  if (!node.nullSafe) return found;
  if (found.type.primitive) throw unplacedError(unit.source, 'Result of null safe operator must be nullable');
  return { type: found.type, js: nullSafe(`${object}=${prefix.js},`, found.js) };
}

function methodCall(unit: Unit, scope: Scope, { name, args, at }: Node<'call'>, object: string, type: Type): Checked {
  const method = methodOf(type, name, args.length);
  if (!method) throw unit.error(at, `member method [${type.name}, ${name}/${args.length}] not found`);
  const self = type.primitive ? converted(unit, at, { type, js: object }, infoNamed(boxedName(type)).type, INTERNAL) : object;
  return { type: method.returns, js: invoked(unit, method, [self, ...converts(unit, scope, args, method.params)], at) };
}

function methodOf(type: Type, name: string, arity: number): Method | null {
  if (type.primitive === 'void') return null;
  const info = type.primitive ? infoNamed(boxedName(type)) : (type.info ?? infoNamed('java.lang.Object'));
  return info.method(name, arity);
}

function dynamicCall(unit: Unit, scope: Scope, { name, args, at }: Node<'call'>, object: string, use: Use): Checked {
  const types: string[] = [];
  const values = args.map((arg) => {
    const value = unit.expression(unit, scope, arg, {});
    types.push(value.type.name);
    if (value.type === VOID) throw unit.castError(arg.at, 'Cannot cast from [void] to [def].');
    return conversion(unit, value.js, value.type, DEF, false, arg.at);
  });
  const site = unit.constant(new CallSite(name, types, use.explicit ? 'def' : use.target?.name));
  const helper = values.length <= 3 ? `call${values.length}` : 'callMany';
  const given = values.length <= 3 ? values : [`[${values.join(',')}]`];
  return { type: DEF, js: unit.call(helper, site, ...placed(at, object, ...given)) };
}

export function localCall(unit: Unit, scope: Scope, { name, args, at }: Node<'local-call'>, use: Use): Checked {
  if (use.write) throw unit.error(at, `invalid assignment: cannot assign a value to function call [${name}/${args.length}]`);
  const target = unit.functions.get(`${name}/${args.length}`);
  if (!target) throw unit.error(at, `Unknown call [${name}] with [[${args.map(nodeName).join(', ')}]] arguments.`);
  return { type: target.returns, js: `(p=${at},${target.js}(${converts(unit, scope, args, target.params).join(',')}))` };
}

const NODES: Readonly<Record<Expression['kind'], string>> = {
  number: 'ENumeric',
  decimal: 'EDecimal',
  boolean: 'EBooleanConstant',
  null: 'ENull',
  string: 'EString',
  regex: 'ERegex',
  symbol: 'ESymbol',
  dot: 'EDot',
  call: 'ECall',
  'local-call': 'ECallLocal',
  brace: 'EBrace',
  unary: 'EUnary',
  binary: 'EBinary',
  compare: 'EComp',
  logical: 'EBooleanComp',
  instanceof: 'EInstanceof',
  conditional: 'EConditional',
  elvis: 'EElvis',
  cast: 'EExplicit',
  list: 'EListInit',
  map: 'EMapInit',
  new: 'ENewObj',
  'new-array': 'ENewArray',
  assign: 'EAssignment',
  lambda: 'ELambda',
  reference: 'EFunctionRef',
};

/** An argument as Painless shows it in the message of an unknown call. */
function nodeName({ kind, at }: Expression): string {
  return `org.elasticsearch.painless.node.${NODES[kind]}@${(0x1000000 + at).toString(16)}`;
}

export function newObject(unit: Unit, scope: Scope, { type: name, args, at }: Node<'new'>, use: Use): Checked {
  if (use.write) throw unit.error(at, `invalid assignment cannot assign a value to new object with constructor [${name}/${args.length}]`);
  const type = unit.type(name);
  if (!type) throw unit.error(at, `Not a type [${name}].`);
  const constructor = type.info?.constructors.get(args.length);
  if (!constructor) throw unit.error(at, `constructor [${type.name}, <init>/${args.length}] not found`);
  const js = `(p=${at},${unit.constant(constructor.run)}(${converts(unit, scope, args, constructor.params).join(',')}))`;
  return { type, js: type.info?.isA(infoNamed('java.lang.Exception')) ? `(p=${at},${unit.call('created', js, String(at))})` : js };
}

export function newArray(unit: Unit, scope: Scope, { type: name, args, isInitializer, at }: Node<'new-array'>, use: Use): Checked {
  if (use.write) throw unit.error(at, 'invalid assignment: cannot assign a value to new array');
  if (use.read === false) throw unit.error(at, 'not a statement: result not used from new array');
  const type = unit.type(name);
  if (!type?.element) throw unit.error(at, `Not a type [${name}].`);
  const element = isInitializer ? type.element : INT;
  const values = args.map((arg) => expected(unit, scope, arg, element, INTERNAL));
  const js = isInitializer
    ? unit.call('arrayWith', unit.constant(type), `[${values.join(',')}]`)
    : unit.call('arrayOf', unit.constant(type), `[${values.join(',')}]`);
  return { type, js: `(p=${at},${js})` };
}
