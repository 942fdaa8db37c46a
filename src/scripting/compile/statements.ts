// Statements: blocks, conditions, loops, exceptions. Each reports how control leaves it, as Painless refuses code that cannot be reached.
import { BOOLEAN, DEF, type Type, VOID } from '../java/class-info.ts';
import type { Block, Catch, Expression, Statement } from '../syntax/tree.ts';
import { infoNamed } from './casts.ts';
import { conversion, converted, defaultOf } from './convert.ts';
import { expected } from './operators.ts';
import { type Flow, RETURNS, type Scope, STAYS } from './scope.ts';
import type { BlockUse, Unit } from './unit.ts';

interface Code {
  readonly js: string;
  readonly flow: Flow;
}

type Node<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

const EXCEPTION = 'java.lang.Exception';
const IN_LOOP: BlockUse = { isLast: false, inLoop: true, lastInLoop: true };
/** Characters of code that count as one step more of each iteration. */
const CODE_PER_STEP = 1000;

export function block(unit: Unit, scope: Scope, { body, at }: Block, use: BlockUse): Code {
  if (!body.length) throw unit.error(at, 'invalid block: found no statements');
  let flow = STAYS;
  let js = '';
  body.forEach((node, i) => {
    const isLast = i === body.length - 1;
    const code = statement(unit, scope, node, { ...use, isLast: use.isLast && isLast, lastInLoop: use.lastInLoop && isLast });
    if (!isLast && code.flow.all) throw unit.error(at, 'invalid block: unreachable statement');
    flow = {
      ...code.flow,
      anyContinue: flow.anyContinue || code.flow.anyContinue,
      anyBreak: flow.anyBreak || code.flow.anyBreak,
    };
    js += code.js;
  });
  return { js, flow };
}

function statement(unit: Unit, scope: Scope, node: Statement, use: BlockUse): Code {
  if (node.kind !== 'declarations') unit.statements.add(node.at);
  switch (node.kind) {
    case 'expression':
      return expressionStatement(unit, scope, node, use);
    case 'declarations':
      return { js: node.list.map((item) => declaration(unit, scope, item as Node<'declare'>)).join(''), flow: STAYS };
    case 'declare':
      return { js: declaration(unit, scope, node), flow: STAYS };
    case 'return':
      return returnStatement(unit, scope, node);
    case 'if':
      return ifStatement(unit, scope, node, use);
    case 'while':
    case 'do':
      return whileLoop(unit, scope.inner(), node);
    case 'for':
      return forLoop(unit, scope.inner(), node);
    case 'each':
      return eachLoop(unit, scope, node);
    case 'try':
      return tryStatement(unit, scope, node, use);
    case 'throw': {
      const exception = infoNamed(EXCEPTION).type;
      const js = expected(unit, scope, node.value, exception);
      return { js: `p=${node.at};${unit.call('throwException', js)};`, flow: RETURNS };
    }
    case 'continue':
      if (!use.inLoop) throw unit.error(node.at, 'invalid continue statement: not inside loop');
      if (use.lastInLoop) throw unit.error(node.at, 'extraneous continue statement');
      return { js: 'continue;', flow: { ...STAYS, all: true, anyContinue: true } };
    case 'break':
      if (!use.inLoop) throw unit.error(node.at, 'invalid break statement: not inside loop');
      return { js: 'break;', flow: { ...STAYS, loop: true, all: true, anyBreak: true } };
  }
}

/** The last expression of a function is its result. */
function expressionStatement(unit: Unit, scope: Scope, { expression }: Node<'expression'>, { isLast }: BlockUse): Code {
  const { returns } = scope;
  const isRead = isLast && returns !== VOID;
  const value = unit.expression(unit, scope, expression, { read: isRead });
  if (!isRead || value.type === VOID) return { js: `${value.js};`, flow: STAYS };
  return { js: `return ${converted(unit, expression.at, value, returns, { internal: true })};`, flow: RETURNS };
}

function declaration(unit: Unit, scope: Scope, { name, type: typeName, value, at }: Node<'declare'>): string {
  unit.statements.add(at);
  if (unit.type(name)) throw unit.error(at, `invalid declaration: type [${name}] cannot be a name`);
  const type = unit.type(typeName);
  if (!type || type === VOID) throw unit.error(at, `invalid declaration: cannot resolve type [${typeName}]`);
  const js = value ? expected(unit, scope, value, type) : defaultOf(type);
  return `let ${scope.define(at, type, name).js}=${js};`;
}

function returnStatement(unit: Unit, scope: Scope, { value, at }: Node<'return'>): Code {
  const { returns } = scope;
  if (!value) {
    if (returns !== VOID) throw unit.castError(at, `cannot cast from [${returns.name}] to [void]`);
    return { js: 'return;', flow: RETURNS };
  }
  return { js: `return ${expected(unit, scope, value, returns, { internal: true })};`, flow: RETURNS };
}

function ifStatement(unit: Unit, scope: Scope, node: Node<'if'>, use: BlockUse): Code {
  const { test, at } = node;
  const js = expected(unit, scope, test, BOOLEAN);
  if (test.kind === 'boolean' || !node.then) throw unit.error(at, 'extraneous if block');
  const then = block(unit, scope.inner(), node.then, use);
  if (!node.hasElse) {
    const { anyContinue, anyBreak } = then.flow;
    return { js: `if(${js}){${then.js}}`, flow: { ...STAYS, anyContinue, anyBreak } };
  }
  if (!node.else) throw unit.error(at, 'extraneous else block.');
  const other = block(unit, scope.inner(), node.else, use);
  return { js: `if(${js}){${then.js}}else{${other.js}}`, flow: both(then.flow, other.flow) };
}

/** The flow of two alternatives. */
function both(a: Flow, b: Flow): Flow {
  return {
    method: a.method && b.method,
    loop: a.loop && b.loop,
    all: a.all && b.all,
    anyContinue: a.anyContinue || b.anyContinue,
    anyBreak: a.anyBreak || b.anyBreak,
  };
}

/** @param name  of the loop in messages */
function loopBody(unit: Unit, scope: Scope, body: Block, at: number, name: string): Code {
  const code = block(unit, scope, body, IN_LOOP);
  if (code.flow.loop && !code.flow.anyContinue) throw unit.error(at, `extraneous ${name} loop`);
  return code;
}

/** Counts an iteration. */
function step(unit: Unit, js: string, at: number): string {
  return `p=${at};${unit.call('step', String(1 + Math.floor(js.length / CODE_PER_STEP)))};`;
}

function whileLoop(unit: Unit, scope: Scope, node: Node<'while' | 'do'>): Code {
  const { test, body, at } = node;
  const name = node.kind === 'do' ? 'do-while' : 'while';
  const isConstant = test.kind === 'boolean';
  if (node.kind === 'do') {
    if (!body) throw unit.error(at, 'extraneous do-while loop');
    const inner = loopBody(unit, scope, body, at, name);
    const js = expected(unit, scope, test, BOOLEAN);
    if (isConstant && !test.value) throw unit.error(at, 'extraneous do-while loop');
    const flow = isConstant && !inner.flow.anyBreak ? { ...STAYS, method: true, all: true } : STAYS;
    return { js: `do{${step(unit, inner.js, at)}${inner.js}}while(${js});`, flow };
  }
  const js = expected(unit, scope, test, BOOLEAN);
  if (isConstant && !test.value) throw unit.error(at, 'extraneous while loop');
  if (isConstant && !body) throw unit.error(at, 'no paths escape from while loop');
  const inner = body ? loopBody(unit, scope, body, at, name) : { js: '', flow: STAYS };
  const flow = isConstant && !inner.flow.anyBreak ? { ...STAYS, method: true, all: true } : STAYS;
  return { js: `while(${js}){${step(unit, inner.js, at)}${inner.js}}`, flow };
}

function forLoop(unit: Unit, scope: Scope, { init, test, step: after, body, at }: Node<'for'>): Code {
  let start = '';
  if (init?.kind === 'declarations') start = init.list.map((item) => declaration(unit, scope, item as Node<'declare'>)).join('');
  else if (init) start = `${unit.expression(unit, scope, init as Expression, { read: false }).js};`;
  let condition = '';
  let isEndless = test === null;
  if (test) {
    condition = expected(unit, scope, test, BOOLEAN);
    if (test.kind === 'boolean') {
      isEndless = test.value;
      if (!isEndless) throw unit.error(at, 'extraneous for loop');
      if (!body) throw unit.error(at, 'no paths escape from for loop');
    }
  }
  const next = after ? unit.expression(unit, scope, after, { read: false }).js : '';
  const inner = body ? loopBody(unit, scope, body, at, 'for') : { js: '', flow: STAYS };
  const flow = isEndless && body && !inner.flow.anyBreak ? { ...STAYS, method: true, all: true } : STAYS;
  return { js: `{${start}for(;${condition};${next}){${step(unit, inner.js, at)}${inner.js}}}`, flow };
}

function eachLoop(unit: Unit, scope: Scope, { items, type: typeName, name, body, at }: Node<'each'>): Code {
  const value = unit.expression(unit, scope, items, {});
  const type = unit.type(typeName);
  if (!type) throw unit.error(at, `invalid foreach loop: type [${typeName}] not found`);
  const inner = scope.inner();
  const variable = inner.define(at, type, name, true);
  if (!body) throw unit.error(at, 'extraneous foreach loop');
  const code = loopBody(unit, inner, body, at, 'foreach');
  const isIterable = value.type.isDef || value.type.element || value.type.info?.isA(infoNamed('java.lang.Iterable'));
  if (!isIterable) throw unit.error(at, `invalid foreach loop: cannot iterate over type [${value.type.name}].`);
  const from: Type = value.type.element ?? DEF;
  const item = unit.newVariable();
  const js = conversion(unit, item, from, type, true, at);
  const list = unit.call(value.type.isDef ? 'iteratedDef' : 'iterated', value.js);
  return {
    js: `p=${at};for(const ${item} of ${list}){${step(unit, code.js, at)}let ${variable.js}=${js};${code.js}}`,
    flow: STAYS,
  };
}

function tryStatement(unit: Unit, scope: Scope, { body, catches, at }: Node<'try'>, use: BlockUse): Code {
  if (!body) throw unit.error(at, 'extraneous try statement');
  const main = block(unit, scope.inner(), body, use);
  const error = unit.newVariable();
  const exception = unit.newVariable();
  let { flow } = main;
  let handlers = '';
  for (const handler of catches) {
    const code = catchBlock(unit, scope.inner(), handler, exception, use);
    handlers += code.js;
    flow = both(flow, code.flow);
  }
  return { js: `try{${main.js}}catch(${error}){const ${exception}=${unit.call('caught', error, 'p')};${handlers}throw ${error};}`, flow };
}

/** `if` the exception is of the class `{ ... } else`. */
function catchBlock(unit: Unit, scope: Scope, { type: typeName, name, body, at }: Catch, exception: string, use: BlockUse): Code {
  unit.statements.add(at);
  if (unit.type(name)) throw unit.error(at, `invalid catch declaration: type [${name}] cannot be a name`);
  const type = unit.type(typeName);
  if (!type) throw unit.error(at, `invalid catch declaration: cannot resolve type [${typeName}]`);
  const variable = scope.define(at, type, name);
  if (!type.info?.isA(infoNamed(EXCEPTION))) throw unit.castError(at, `cannot cast from [${type.name}] to [${EXCEPTION}]`);
  const code = body ? block(unit, scope, body, use) : { js: '', flow: STAYS };
  const test = unit.call('isInstance', exception, unit.constant(type.info));
  return { js: `if(${test}){let ${variable.js}=${exception};${code.js}}else `, flow: code.flow };
}
