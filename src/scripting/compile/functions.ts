// Function values: lambdas and references to methods, constructors and functions. With a target type they become functions of that interface;
// as arguments of calls on def they are linked when the called method is known.
import { DEF, type Method, type Type, VOID } from '../java/class-info.ts';
import { unplacedError } from '../syntax/script-error.ts';
import type { Expression } from '../syntax/tree.ts';
import { infoNamed } from './casts.ts';
import { conversion } from './convert.ts';
import { invoked } from './members.ts';
import type { Scope } from './scope.ts';
import type { Checked, Unit, Use } from './unit.ts';

type Node<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

export function lambda(unit: Unit, scope: Scope, node: Node<'lambda'>, use: Use): Checked {
  const { params, body, at } = node;
  const target = use.target && !use.target.isDef ? use.target : null;
  const method = target ? (target.info?.interfaceMethod ?? null) : null;
  if (use.target && !method) throw unit.error(at, `Cannot pass lambda to [${use.target.name}], not a functional interface`);
  if (method && method.params.length !== params.length)
    throw unplacedError(unit.source, `Incorrect number of parameters for [${method.name}] in [${target?.name}]`);
  const types = params.map(({ type }, i) => {
    if (type === null) return method ? method.params[i] : DEF;
    const named = unit.type(type);
    if (!named) throw unit.error(at, `cannot resolve type [${type}]`);
    return named;
  });
  const returns = !method || method.returns === VOID ? DEF : method.returns;
  const inner = scope.lambda(returns);
  const variables = params.map(({ name }, i) => inner.define(at, types[i], name, true));
  if (!body.body.length) throw unit.error(at, 'cannot generate empty lambda');
  const outer = unit.temporaries;
  unit.temporaries = [];
  const { js, flow } = unit.block(unit, inner, body, { isLast: true, inLoop: false, lastInLoop: false });
  const temporaries = unit.temporaries;
  unit.temporaries = outer;
  if (!flow.method) throw unit.error(at, 'not all paths return a value for lambda');
  // Parameters with a type that is not the interface's are converted first.
  const entry = variables
    .map(({ js: variable, type }, i) => {
      const given = method ? method.params[i] : DEF;
      return given === type ? '' : `${variable}=${conversion(unit, variable, given, type, false, at)};`;
    })
    .join('');
  const locals = temporaries.length ? `let ${temporaries.join(',')};` : '';
  const code = `(${variables.map((variable) => variable.js).join(',')})=>{${unit.call('step', '1')};${locals}${entry}${js}}`;
  if (target) return { type: target, js: unit.call('asFunction', code, unit.constant(target.info)) };
  return { type: infoNamed('java.lang.String').type, js: unit.call('unlinked', code, String(params.length)) };
}

export function reference(unit: Unit, scope: Scope, node: Node<'reference'>, use: Use): Checked {
  const { target: symbol, name, at } = node;
  const target = use.target && !use.target.isDef ? use.target : null;
  const method = target ? (target.info?.interfaceMethod ?? null) : null;
  if (target && !method)
    throw unit.error(at, `cannot convert function reference [${symbol}::${name}] to a non-functional interface [${target.name}]`);
  if (!method || !target) return unlinkedReference(unit, scope, node);
  const names = method.params.map(() => unit.newVariable());
  const values = names.map((js, i) => ({ js, type: method.params[i] }));
  const result = referenced(unit, scope, node, values);
  if (!result)
    throw unit.error(
      at,
      `function reference [${symbol}::${name}/${names.length}] matching [${target.name}, ${method.name}/${names.length}] not found`,
    );
  const js =
    method.returns === VOID || result.type === VOID ? result.js : conversion(unit, result.js, result.type, method.returns, false, at);
  const code = `(${names.join(',')})=>{${unit.call('step', '1')};return ${js};}`;
  return { type: target, js: unit.call('asFunction', code, unit.constant(target.info)) };
}

/** The call that a reference denotes; null if there is no such function. */
function referenced(unit: Unit, scope: Scope, { target, name, at }: Node<'reference'>, values: readonly Checked[]): Checked | null {
  const convert = (given: readonly Checked[], params: readonly Type[]): string[] =>
    given.map((value, i) => conversion(unit, value.js, value.type, params[i], false, at));
  if (target === 'this') {
    const found = unit.functions.get(`${name}/${values.length}`);
    return found ? { type: found.returns, js: `${found.js}(${convert(values, found.params).join(',')})` } : null;
  }
  const type = unit.type(target);
  if (type?.element && name === 'new') return { type, js: unit.call('arrayOf', unit.constant(type), `[${values[0].js}]`) };
  if (type?.info) {
    const { info } = type;
    if (name === 'new') {
      const constructor = info.constructors.get(values.length);
      return constructor ? { type, js: `${unit.constant(constructor.run)}(${convert(values, constructor.params).join(',')})` } : null;
    }
    const found: Method | null = info.statics.get(`${name}/${values.length}`) ?? null;
    if (found) return { type: found.returns, js: invoked(unit, found, convert(values, found.params), at) };
    const own = values.length > 0 ? info.method(name, values.length - 1) : null;
    if (!own) return null;
    const args = [conversion(unit, values[0].js, values[0].type, type, false, at), ...convert(values.slice(1), own.params)];
    return { type: own.returns, js: invoked(unit, own, args, at) };
  }
  const variable = unit.variable(scope, target);
  if (!variable) throw unit.error(at, `cannot resolve symbol [${target}]`);
  if (variable.type.isDef)
    return { type: DEF, js: unit.call('callNamed', JSON.stringify(name), variable.js, `[${boxedAll(unit, values)}]`) };
  const method = variable.type.info?.method(name, values.length) ?? null;
  return method ? { type: method.returns, js: invoked(unit, method, [variable.js, ...convert(values, method.params)], at) } : null;
}

const boxedAll = (unit: Unit, values: readonly Checked[]): string =>
  values.map(({ js, type }) => conversion(unit, js, type, DEF, false, 0)).join(',');

/** Most parameters of the functional interfaces that scripts can name. */
const MAX_PARAMS = 3;

/** The number of parameters is known when it is linked, so that there is a version for each that exists. */
function unlinkedReference(unit: Unit, scope: Scope, node: Node<'reference'>): Checked {
  const versions: string[] = [];
  for (let count = 0; count <= MAX_PARAMS; count++) {
    const names = Array.from({ length: count }, () => unit.newVariable());
    const isArray = node.name === 'new' && node.target.endsWith('[]');
    if (isArray && count !== 1) {
      versions.push('null');
      continue;
    }
    const values = names.map((js) => (isArray ? { js: unit.call('defToInt', js, 'false'), type: DEF } : { js, type: DEF }));
    const result = referenced(unit, scope, node, values);
    if (!result) versions.push('null');
    else {
      const js = result.type === VOID ? `(${result.js},null)` : conversion(unit, result.js, result.type, DEF, false, node.at);
      versions.push(`(${names.join(',')})=>{${unit.call('step', '1')};return ${js};}`);
    }
  }
  const shown = JSON.stringify(`${node.target}::${node.name}`);
  return { type: infoNamed('java.lang.String').type, js: unit.call('unlinkedVersions', `[${versions.join(',')}]`, shown) };
}
