// Scripts of plain arithmetic over columns as WebAssembly: one run computes the results for many documents, without a call or an object for each. The
// subset: numbers and booleans, fields with `value`, `size()` and `empty`, parameters that are numbers, `_score`, functions of doubles, variables,
// conditions and loops. A document that the program abandons (missing value, division by zero, many steps) is left to the compiled script.
import type { Implementation, Type } from '../java/class-info.ts';
import { resolveClasses } from '../java/class-info.ts';
import { Parser } from '../syntax/parser.ts';
import type { Block, Expression, Statement } from '../syntax/tree.ts';
import {
  converted,
  implicitly,
  isPlainType,
  makeOperation,
  type Names,
  type Typed,
  typed,
  Unsupported,
  unsupported,
  type Variable,
} from './column-expression.ts';
import { ColumnField, type ColumnForm, FIELD_ARGUMENTS } from './column-field.ts';
import { constant, isNumeric, type PlainType, VALUE_TYPES } from './numeric-types.ts';
import { Code, F64, I32, type Imported, type Label, MEMORY, moduleOf, OP, type ValueType } from './wasm-writer.ts';

export interface ColumnProgram {
  /** Exports `run(docs, scores, out, count, start, ...)`: see `LEADING_ARGUMENTS`, `FIELD_ARGUMENTS` of each field, the parameters. */
  readonly module: WebAssembly.Module;
  readonly fields: readonly string[];
  readonly params: readonly string[];
  readonly imports: ReadonlyArray<Implementation>;
  readonly usesScore: boolean;
}

/** The inputs from which a program is generated. */
export interface ProgramSource {
  readonly source: string;
  readonly returns: 'double' | 'boolean';
  readonly hasScore: boolean;
  /** null: programs cannot read the field. */
  form(field: string): ColumnForm | null;
  hasField(name: string): boolean;
  /** Type of a parameter; null if it is not a number. */
  paramType(name: string): PlainType | null;
  readonly functions: Readonly<Record<string, { readonly params: readonly Type[]; readonly returns: Type; readonly run: Implementation }>>;
}

/** `docs` and `scores`: addresses of u32 and f32; `out`: of f64; the number of documents; the first one to compute. */
const LEADING_ARGUMENTS: readonly ValueType[] = [I32, I32, I32, I32, I32];
const [DOCS, SCORES, OUT, COUNT, NEXT] = [0, 1, 2, 3, 4];

/** Iterations of the loops of one document; a script that needs more runs compiled, with its budget. */
const MAX_ITERATIONS = 1000;

/** @returns null if the script does more than plain arithmetic */
export function compileColumnProgram(source: ProgramSource): ColumnProgram | null {
  resolveClasses();
  try {
    return new Writer(source).program();
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

interface LoopLabels {
  readonly done: Label;
  readonly next: Label;
}

class Writer implements Names {
  readonly #source: ProgramSource;
  readonly #body: Block;
  readonly #fields = new Map<string, ColumnField>();
  readonly #params = new Map<string, Variable>();
  readonly #imports: Array<Implementation> = [];
  readonly #imported: Imported[] = [];
  #scopes: Array<Map<string, Variable>> = [new Map()];
  #code: Code;
  #bail: Label = 0;
  #done: Label = 0;
  #result = 0;
  #steps: number | null = null;
  #usesScore = false;
  doc = 0;
  #scoreLocal = 0;

  constructor(source: ProgramSource) {
    this.#source = source;
    const { functions, body } = new Parser(source.source).parseScript();
    if (functions.length || !body.body.length) unsupported();
    this.#body = body;
    const found = { fields: new Set<string>(), params: new Set<string>() };
    for (const statement of body.body) collect(statement, found);
    let next = LEADING_ARGUMENTS.length;
    for (const name of found.fields) {
      this.#fields.set(name, new ColumnField(source.form(name) ?? unsupported(), next));
      next += FIELD_ARGUMENTS.length;
    }
    for (const name of found.params) {
      const type = source.paramType(name) ?? unsupported();
      this.#params.set(name, { local: next++, type, isDef: true });
    }
    this.#code = new Code(next);
  }

  program(): ColumnProgram {
    const code = this.#code;
    this.doc = code.local(I32);
    this.#scoreLocal = code.local(F64);
    this.#result = code.local(F64);
    const again = code.loop();
    code.get(NEXT).get(COUNT).op(OP.i32Eq).if();
    code.get(COUNT).return().end();
    code.get(DOCS).get(NEXT).i32(2).op(OP.i32Shl, OP.i32Add).memory(MEMORY.i32Load).set(this.doc);
    const documentStart = code.bytes.length;
    this.#bail = code.block();
    this.#done = code.block();
    this.#main();
    code.end();
    code.get(OUT).get(NEXT).i32(3).op(OP.i32Shl, OP.i32Add).get(this.#result).memory(MEMORY.f64Store);
    code.get(NEXT).i32(1).op(OP.i32Add).set(NEXT).branch(again);
    code.end().end();
    // The document that was abandoned: a negative number.
    code.i32(-1).get(NEXT).op(OP.i32Sub);
    const start = new Code(0);
    if (this.#usesScore)
      start.get(SCORES).get(NEXT).i32(2).op(OP.i32Shl, OP.i32Add).memory(MEMORY.f32Load).op(OP.f64PromoteF32).set(this.#scoreLocal);
    if (this.#steps !== null) start.i32(0).set(this.#steps);
    code.bytes.splice(documentStart, 0, ...start.bytes);
    const params = [
      ...LEADING_ARGUMENTS,
      ...[...this.#fields].flatMap(() => FIELD_ARGUMENTS),
      ...[...this.#params.values()].map(({ type }) => VALUE_TYPES[type]),
    ];
    return {
      module: new WebAssembly.Module(moduleOf(params, this.#imported, code)),
      fields: [...this.#fields.keys()],
      params: [...this.#params.keys()],
      imports: this.#imports,
      usesScore: this.#usesScore,
    };
  }

  get score(): number | null {
    if (!this.#source.hasScore) return null;
    this.#usesScore = true;
    return this.#scoreLocal;
  }

  variable(name: string): Variable | null {
    return this.#scopes.findLast((scope) => scope.has(name))?.get(name) ?? null;
  }

  field(name: string): ColumnField | null {
    return this.#fields.get(name) ?? null;
  }

  hasField(name: string): boolean {
    return this.#source.hasField(name);
  }

  param(name: string): Variable | null {
    return this.#params.get(name) ?? null;
  }

  imported(run: Implementation, params: number): number {
    const known = this.#imports.indexOf(run);
    if (known >= 0) return known;
    this.#imported.push({ params: Array.from({ length: params }, () => F64), result: F64 });
    return this.#imports.push(run) - 1;
  }

  contextFunction(name: string, params: number): Implementation | null {
    const found = this.#source.functions[`${name}/${params}`];
    if (found?.returns.primitive !== 'double' || found.params.some(({ primitive }) => primitive !== 'double')) return null;
    return found.run;
  }

  bailIf(code: Code): void {
    code.branchIf(this.#bail);
  }

  value(code: Code, field: ColumnField): void {
    field.value(code, this.doc, this.#bail);
  }

  local(type: PlainType): number {
    return this.#code.local(VALUE_TYPES[type]);
  }

  #main(): void {
    const { body } = this.#body;
    const last = body[body.length - 1];
    for (const statement of body.slice(0, -1)) this.#statement(statement, null);
    if (last.kind === 'expression' && last.expression.kind !== 'assign') this.#return(last.expression);
    else {
      this.#statement(last, null);
      // Without a return, the result is the default of its type.
      this.#code.f64(0).set(this.#result);
    }
  }

  #return(value: Expression): void {
    const { returns } = this.#source;
    const code = this.#code;
    implicitly(typed(this, value), returns).emit(code);
    if (returns === 'boolean') code.op(OP.f64ConvertI32S);
    code.set(this.#result).branch(this.#done);
  }

  #scoped(action: () => void): void {
    this.#scopes.push(new Map());
    action();
    this.#scopes.pop();
  }

  #block(block: Block | null, loop: LoopLabels | null): void {
    this.#scoped(() => {
      for (const statement of block?.body ?? []) this.#statement(statement, loop);
    });
  }

  #statement(statement: Statement, loop: LoopLabels | null): void {
    const code = this.#code;
    switch (statement.kind) {
      case 'expression':
        this.#assign(statement.expression);
        return;
      case 'return':
        this.#return(statement.value ?? unsupported());
        return;
      case 'declarations':
        for (const item of statement.list) this.#statement(item, loop);
        return;
      case 'declare':
        this.#declare(statement.type, statement.name, statement.value);
        return;
      case 'if':
        implicitly(typed(this, statement.test), 'boolean').emit(code);
        code.if();
        this.#block(statement.then, loop);
        if (statement.hasElse) {
          code.op(OP.else);
          this.#block(statement.else, loop);
        }
        code.end();
        return;
      case 'while':
        this.#loop(statement.test, null, statement.body);
        return;
      case 'for':
        this.#scoped(() => {
          const { init } = statement;
          if (init && (init.kind === 'declarations' || init.kind === 'declare')) this.#statement(init, null);
          else if (init) this.#assign(init as Expression);
          this.#loop(statement.test, statement.step, statement.body);
        });
        return;
      case 'break':
      case 'continue':
        code.branch((loop ?? unsupported())[statement.kind === 'break' ? 'done' : 'next']);
        return;
      default:
        unsupported();
    }
  }

  #declare(typeName: string, name: string, given: Expression | null): void {
    const value = given && typed(this, given);
    const isDef = typeName === 'def';
    if (isDef && !value) unsupported();
    const type = isDef ? (value as Typed).type : isPlainType(typeName) ? typeName : unsupported();
    const local = this.local(type);
    if (value) implicitly(value, type).emit(this.#code);
    else constant(this.#code, type, 0);
    this.#code.set(local);
    this.#scopes.at(-1)?.set(name, { local, type, isDef });
  }

  /** Assignments of variables, as statements. */
  #assign(node: Expression): void {
    if (node.kind !== 'assign' || node.target.kind !== 'symbol') return unsupported();
    const variable = this.variable(node.target.name) ?? unsupported();
    const { local, type, isDef } = variable;
    const right = typed(this, node.value);
    if (node.op === null) {
      // A def would take the type of the value.
      if (isDef && right.type !== type) unsupported();
      implicitly(right, type).emit(this.#code);
    } else {
      const left: Typed = { type, isDef, emit: (code) => void code.get(local) };
      const result = makeOperation(this, node.op, left, right);
      if (!isNumeric(result.type)) unsupported();
      converted(result, type).emit(this.#code);
    }
    this.#code.set(local);
  }

  #loop(test: Expression | null, step: Expression | null, body: Block | null): void {
    const code = this.#code;
    if (this.#steps === null) this.#steps = code.local(I32);
    const steps = this.#steps;
    const done = code.block();
    const again = code.loop();
    code.get(steps).i32(1).op(OP.i32Add).tee(steps).i32(MAX_ITERATIONS).op(OP.i32GtS);
    this.bailIf(code);
    if (test) {
      implicitly(typed(this, test), 'boolean').emit(code);
      code.op(OP.i32Eqz).branchIf(done);
    }
    const next = code.block();
    this.#block(body, { done, next });
    code.end();
    if (step) this.#assign(step);
    code.branch(again).end().end();
  }
}

/** The fields and parameters that any script names, of plain arithmetic or not. */
export function namesIn(source: string): { readonly fields: readonly string[]; readonly params: readonly string[] } {
  const found = { fields: new Set<string>(), params: new Set<string>() };
  for (const statement of new Parser(source).parseScript().body.body) collect(statement, found);
  return { fields: [...found.fields], params: [...found.params] };
}

/** Finds the fields and parameters that a statement reads. */
function collect(node: unknown, found: { readonly fields: Set<string>; readonly params: Set<string> }): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const item of node) collect(item, found);
    return;
  }
  const { kind, object, name, index, args } = node as Partial<Record<string, unknown>>;
  const base = (object as Expression | undefined)?.kind === 'symbol' ? (object as { name: string }).name : null;
  const key = (value: unknown): string | null =>
    (value as Expression | undefined)?.kind === 'string' ? (value as { value: string }).value : null;
  const named =
    kind === 'dot'
      ? (name as string)
      : kind === 'brace'
        ? key(index)
        : kind === 'call' && name === 'get'
          ? key((args as unknown[])[0])
          : null;
  if (named !== null && base === 'doc') found.fields.add(named);
  if (named !== null && base === 'params') found.params.add(named);
  for (const child of Object.values(node)) collect(child, found);
}
