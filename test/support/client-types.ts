// The types of responses that a client declares, read from its own declaration file, and a check of JSON values against them. Typed clients for
// Java, Go and .NET are generated from the same specification: a response that fails here cannot be decoded there.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

type Type =
  | { readonly kind: 'any' }
  | { readonly kind: 'primitive'; readonly name: string }
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'array'; readonly of: Type }
  | { readonly kind: 'record'; readonly of: Type }
  | { readonly kind: 'union' | 'intersection'; readonly of: readonly Type[] }
  | { readonly kind: 'reference'; readonly name: string; readonly args: readonly Type[] }
  | { readonly kind: 'object'; readonly members: readonly Member[]; readonly others: Type | null };

interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: Type;
}

interface Declaration {
  readonly parameters: readonly { readonly name: string; readonly fallback: Type }[];
  /** Types that an interface extends. */
  readonly parents: readonly Type[];
  readonly type: Type;
}

/** Numbers of the declaration file that must be whole. */
const WHOLE = new Set(['byte', 'short', 'integer', 'long', 'uint', 'ulong']);
const ANY: Type = { kind: 'any' };
const PRIMITIVES = new Set(['string', 'number', 'boolean', 'null', 'undefined', 'void', 'never']);
const ANYTHING = new Set(['any', 'unknown', 'object', 'Date', 'ArrayBuffer', 'TODO']);
const TOKEN = /\s+|\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?|[A-Za-z_$][\w$]*|=>|[^\s]/y;

/** Reads the subset of TypeScript that the generator of the client writes. */
class Parser {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text))
      if (!/^(?:\s|\/\*|\/\/)/.test(match[0])) this.#tokens.push(match[0]);
  }

  declarations(): Map<string, Declaration> {
    const found = new Map<string, Declaration>();
    while (this.#at < this.#tokens.length) {
      if (this.#next() !== 'export') continue;
      const kind = this.#next();
      if (kind !== 'interface' && kind !== 'type') continue;
      const name = this.#next();
      const parameters = this.#parameters();
      const parents: Type[] = [];
      if (kind === 'interface') {
        while (this.#take('extends') || this.#take(',')) parents.push(this.#single());
        found.set(name, { parameters, parents, type: this.#object() });
      } else {
        this.#expect('=');
        found.set(name, { parameters, parents, type: this.#type() });
      }
    }
    return found;
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? '';
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #expect(token: string): void {
    const around = this.#tokens.slice(Math.max(0, this.#at - 8), this.#at + 4).join(' ');
    if (!this.#take(token)) throw new Error(`expected ${token} in the declarations at: ${around}`);
  }

  #parameters(): Declaration['parameters'] {
    const parameters: { name: string; fallback: Type }[] = [];
    if (!this.#take('<')) return parameters;
    do {
      const name = this.#next();
      parameters.push({ name, fallback: this.#take('=') ? this.#type() : ANY });
    } while (this.#take(','));
    this.#expect('>');
    return parameters;
  }

  #type(): Type {
    this.#take('|');
    const alternatives = [this.#both()];
    while (this.#take('|')) alternatives.push(this.#both());
    return alternatives.length === 1 ? alternatives[0] : { kind: 'union', of: alternatives };
  }

  #both(): Type {
    const parts = [this.#single()];
    while (this.#take('&')) parts.push(this.#single());
    return parts.length === 1 ? parts[0] : { kind: 'intersection', of: parts };
  }

  #single(): Type {
    let type = this.#atom();
    while (this.#take('[')) {
      this.#expect(']');
      type = { kind: 'array', of: type };
    }
    return type;
  }

  #atom(): Type {
    if (this.#take('(')) {
      const inner = this.#type();
      this.#expect(')');
      return inner;
    }
    if (this.#tokens[this.#at] === '{') return this.#object();
    const token = this.#next();
    if (token.startsWith("'")) return { kind: 'literal', value: unquote(token) };
    if (/^-?\d/.test(token)) return { kind: 'literal', value: Number(token) };
    if (token === 'true' || token === 'false') return { kind: 'literal', value: token === 'true' };
    if (ANYTHING.has(token)) return ANY;
    if (PRIMITIVES.has(token)) return { kind: 'primitive', name: token };
    const args: Type[] = [];
    if (this.#take('<')) {
      do args.push(this.#type());
      while (this.#take(','));
      this.#expect('>');
    }
    if (token === 'Record') return { kind: 'record', of: args[1] };
    if (token === 'Partial') return args[0];
    return { kind: 'reference', name: token, args };
  }

  #object(): Type {
    this.#expect('{');
    const members: Member[] = [];
    let others: Type | null = null;
    while (!this.#take('}')) {
      if (this.#take('[')) {
        this.#next();
        this.#expect(':');
        this.#type();
        this.#expect(']');
        this.#expect(':');
        others = this.#type();
      } else {
        const name = unquote(this.#next());
        const isOptional = this.#take('?');
        this.#expect(':');
        members.push({ name, isOptional, type: this.#type() });
      }
      this.#take(';');
    }
    return { kind: 'object', members, others };
  }
}

function unquote(token: string): string {
  return token.startsWith("'") ? token.slice(1, -1).replaceAll(/\\(.)/g, '$1') : token;
}

type Bindings = ReadonlyMap<string, Type>;
const NO_BINDINGS: Bindings = new Map();

/** The types that one installed client declares. */
export class ClientTypes {
  readonly #declarations: Map<string, Declaration>;

  /** @param client  name of the installed package, such as `elasticsearch-8` */
  constructor(client: string) {
    const main = createRequire(import.meta.url).resolve(client);
    this.#declarations = new Parser(readFileSync(path.join(path.dirname(main), 'lib/api/types.d.ts'), 'utf8')).declarations();
  }

  has(name: string): boolean {
    return this.#declarations.has(name);
  }

  /** Differences between a value and a type, one line for each place; empty if the value has the type. */
  check(name: string, value: unknown): string[] {
    return this.#check({ kind: 'reference', name, args: [] }, value, '', NO_BINDINGS);
  }

  #check(type: Type, value: unknown, at: string, bindings: Bindings): string[] {
    switch (type.kind) {
      case 'any':
        return [];
      case 'primitive':
        return this.#checkPrimitive(type.name, value, at);
      case 'literal':
        return value === type.value ? [] : [`${at}: ${show(value)} instead of ${show(type.value)}`];
      case 'array':
        if (!Array.isArray(value)) return [`${at}: ${show(value)} instead of an array`];
        return value.flatMap((item, i) => this.#check(type.of, item, `${at}[${i}]`, bindings));
      case 'record':
        if (!isObject(value)) return [`${at}: ${show(value)} instead of an object`];
        return Object.entries(value).flatMap(([key, item]) => this.#check(type.of, item, `${at}.${key}`, bindings));
      case 'union':
        return this.#checkUnion(type.of, value, at, bindings);
      case 'intersection':
      case 'object':
        return this.#checkMembers(this.#shape(type, bindings), value, at);
      case 'reference':
        return this.#checkReference(type, value, at, bindings);
    }
  }

  #checkPrimitive(name: string, value: unknown, at: string): string[] {
    const isRight = name === 'null' ? value === null : typeof value === name;
    return isRight ? [] : [`${at}: ${show(value)} instead of a ${name}`];
  }

  /** The problems of the alternative that comes closest. */
  #checkUnion(alternatives: readonly Type[], value: unknown, at: string, bindings: Bindings): string[] {
    let best: string[] | null = null;
    for (const alternative of alternatives) {
      const problems = this.#check(alternative, value, at, bindings);
      if (problems.length === 0) return problems;
      if (best === null || problems.length < best.length) best = problems;
    }
    const literals = alternatives.flatMap((type) => (type.kind === 'literal' ? [String(type.value)] : []));
    if (literals.length === alternatives.length) return [`${at}: ${show(value)} instead of one of ${literals.slice(0, 8).join(', ')}`];
    return best ?? [];
  }

  #checkReference(type: Type & { kind: 'reference' }, value: unknown, at: string, bindings: Bindings): string[] {
    const bound = bindings.get(type.name);
    if (bound) return this.#check(bound, value, at, NO_BINDINGS);
    if (WHOLE.has(type.name))
      return typeof value === 'number' && Number.isInteger(value) ? [] : [`${at}: ${show(value)} instead of a ${type.name}`];
    const declaration = this.#declarations.get(type.name);
    if (!declaration) throw new Error(`the client declares no type ${type.name}`);
    const inner = bind(declaration, type.args, bindings);
    if (declaration.type.kind === 'object') return this.#checkMembers(this.#shape(type, bindings), value, at);
    return this.#check(declaration.type, value, at, inner);
  }

  #checkMembers(shape: Shape, value: unknown, at: string): string[] {
    if (!isObject(value)) return [`${at}: ${show(value)} instead of an object`];
    const problems: string[] = [];
    for (const [name, { isOptional, type, bindings }] of shape.members) {
      const item = value[name];
      if (item === undefined) {
        if (!isOptional) problems.push(`${at}.${name}: missing`);
      } else problems.push(...this.#check(type, item, `${at}.${name}`, bindings));
    }
    const { others } = shape;
    if (others)
      for (const [name, item] of Object.entries(value))
        if (!shape.members.has(name)) problems.push(...this.#check(others.type, item, `${at}.${name}`, others.bindings));
    return problems;
  }

  /** All members of an object type, those of its parents included. */
  #shape(type: Type, bindings: Bindings): Shape {
    const shape: Shape = { members: new Map(), others: null };
    this.#collect(type, bindings, shape);
    return shape;
  }

  #collect(type: Type, bindings: Bindings, shape: Shape): void {
    if (type.kind === 'reference') {
      const bound = bindings.get(type.name);
      if (bound) return this.#collect(bound, NO_BINDINGS, shape);
      const declaration = this.#declarations.get(type.name);
      if (!declaration) throw new Error(`the client declares no type ${type.name}`);
      const inner = bind(declaration, type.args, bindings);
      for (const parent of declaration.parents) this.#collect(parent, inner, shape);
      this.#collect(declaration.type, inner, shape);
    } else if (type.kind === 'intersection') for (const part of type.of) this.#collect(part, bindings, shape);
    else if (type.kind === 'object') {
      for (const member of type.members) shape.members.set(member.name, { ...member, bindings });
      if (type.others) shape.others = { type: type.others, bindings };
    } else if (type.kind === 'record') shape.others = { type: type.of, bindings };
  }
}

interface Shape {
  readonly members: Map<string, Member & { readonly bindings: Bindings }>;
  others: { readonly type: Type; readonly bindings: Bindings } | null;
}

function bind({ parameters }: Declaration, args: readonly Type[], outer: Bindings): Bindings {
  if (parameters.length === 0) return NO_BINDINGS;
  return new Map(parameters.map(({ name, fallback }, i) => [name, i < args.length ? resolve(args[i], outer) : fallback]));
}

/** Replaces type parameters of the outer declaration in an argument. */
function resolve(type: Type, outer: Bindings): Type {
  switch (type.kind) {
    case 'reference':
      return outer.get(type.name) ?? { ...type, args: type.args.map((arg) => resolve(arg, outer)) };
    case 'array':
    case 'record':
      return { ...type, of: resolve(type.of, outer) };
    case 'union':
    case 'intersection':
      return { ...type, of: type.of.map((part) => resolve(part, outer)) };
    default:
      return type;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 80);
}
