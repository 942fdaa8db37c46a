// Reads the directives of a block (`http { }`, `stream { }`) into configuration objects by the tables of its modules, and merges the levels.
// Features of only one kind of block, such as locations, are in its subclass.
import path from 'node:path';
import { checkShape, HTTP, SERVER, type Spec, type Table } from '../../config/directive.ts';
import {
  ConfigError,
  type DirectiveNode,
  failAt,
  type Review,
  ReviewedError,
  reviewed,
  UnknownDirectiveError,
} from '../../config/syntax.ts';
import { type ErrorLog, levelRank } from '../../log/error-log.ts';
import type { LogTargets } from '../../log/targets.ts';
import { type BlockMain, type HttpModule, Loc, Server } from '../model/types.ts';
import type { BlockFrame, BlockScope } from './module.ts';
import { parseValue } from './value.ts';

export interface BuildInput {
  node: DirectiveNode;
  paths: { prefix: string; conf: string };
  logs: LogTargets;
  mainLogs: readonly ErrorLog[];
  inherited: Map<string, unknown>;
  /** as `worker_processes` says */
  eventLoops: number;
  /** reports questionable parts of the configuration */
  warn(message: string): void;
  /** receives the errors of directives, so that those after the first one are found as well; without it the first one is thrown */
  review?: Review;
}

/** A directive that builds the tree itself. */
export interface Structure<Main extends BlockMain> {
  spec: Spec<undefined>;
  apply(frame: BlockFrame<Main>): void;
}

/** Spec of a directive whose value is not stored. */
export const allow = (contexts: number, min: number, max: number, isBlock: boolean): Spec<undefined> => ({
  contexts,
  min,
  max,
  block: isBlock,
  defaultText: '',
  fallback: undefined,
  repeats: true,
  parse: () => undefined,
});

const DEBUG_LEVEL = levelRank('debug');

export abstract class BlockBuilder<Main extends BlockMain> {
  readonly main: Main;
  protected readonly input: BuildInput;
  protected readonly modules: HttpModule<Table, Main>[];
  /** error logs set on each level itself, before merging */
  readonly #ownLogs = new Map<Loc, ErrorLog[]>();
  /** location that nginx reports for contradictory values: the end of the block */
  readonly #end: { file: string; line: number };
  readonly #checks: (() => void)[] = [];
  #isValid = true;

  constructor(input: BuildInput, modules: HttpModule<Table, Main>[], main: Main) {
    this.input = input;
    this.modules = modules;
    this.main = main;
    this.#end = { file: input.node.file, line: input.node.endLine ?? input.node.line };
    main.modules.push(...modules);
    main.eventLoops = input.eventLoops;
  }

  protected abstract structure(name: string): Structure<Main> | null;

  /** The unsupported nginx module that a directive belongs to; null if there is none. */
  protected abstract refusal(name: string): string | null;

  // ---------------------------------------------------------------- reading

  /** Reads the whole block and merges its own level; servers below it are merged by subtypes. @throws ReviewedError errors were reported to the review */
  protected readBlock(): void {
    const { loc } = this.main;
    this.prepare(loc);
    this.readNodes(this.input.node.children ?? [], HTTP, loc, null);
    for (const check of this.#checks) this.#step(check);
    if (!this.#isValid) throw new ReviewedError('the configuration has errors');
    this.merge(loc, null);
  }

  prepare(loc: Loc): void {
    for (const module of this.modules) loc.confs[module.index] = {};
  }

  /** Reads a `server` block. */
  protected readServer(f: BlockFrame<Main>): Server {
    const loc = new Loc(this.main.loc);
    const server = new Server(loc, `${f.node.file}:${f.node.line}`);
    this.main.servers.push(server);
    this.prepare(loc);
    this.readNodes(f.node.children ?? [], SERVER, loc, server);
    return server;
  }

  readNodes(nodes: readonly DirectiveNode[], context: number, loc: Loc, server: Server | null): void {
    for (const node of nodes) this.#step(() => this.#readNode(node, context, loc, server));
  }

  #step(step: () => void): void {
    if (!reviewed(this.input.review ?? null, step)) this.#isValid = false;
  }

  #frame(node: DirectiveNode, context: number, loc: Loc, server: Server | null): BlockFrame<Main> {
    const scope: BlockScope<Main> = {
      main: this.main,
      loc,
      server,
      context,
      readChildren: (f, inner, level) => {
        this.prepare(level);
        this.readNodes(f.node.children ?? [], inner, level, server);
      },
      value: (text) => {
        try {
          return parseValue(text, (name) => this.main.variables.lookup(name));
        } catch (error) {
          if (typeof error === 'string') failAt(node, error);
          throw error;
        }
      },
      later: (check) => this.#checks.push(check),
      warn: (message) => this.input.warn(`${message} in ${node.file}:${node.line}`),
      path: (text, from = 'prefix') => path.resolve(this.input.paths[from], text),
    };
    const fail = (message: string): never => failAt(node, message);
    return {
      ...{ node, args: node.args, scope, fail },
      invalid: (value) => fail(`invalid value "${value ?? node.args[0]}"`),
      refuse: (why) => fail(`"${node.name}" directive ${why}`),
    };
  }

  #readNode(node: DirectiveNode, context: number, loc: Loc, server: Server | null): void {
    const structure = this.structure(node.name);
    if (structure && (structure.spec.contexts & context) !== 0) {
      checkShape(structure.spec, node);
      structure.apply(this.#frame(node, context, loc, server));
      return;
    }
    let known = structure !== null;
    for (const module of this.modules) {
      const spec = Object.hasOwn(module.table, node.name) ? module.table[node.name] : null;
      if (!spec) continue;
      known = true;
      if ((spec.contexts & context) === 0) continue;
      checkShape(spec, node);
      const conf = loc.confs[module.index] as Record<string, unknown>;
      const previous = conf[node.name] ?? undefined;
      const given = `${module.index}:${node.name}`;
      if (!spec.repeats && loc.given.has(given)) failAt(node, `"${node.name}" directive is duplicate`);
      loc.given.add(given);
      conf[node.name] = spec.parse(this.#frame(node, context, loc, server), previous);
      return;
    }
    const refused = this.refusal(node.name);
    if (refused) failAt(node, `"${node.name}": ${refused} is not supported by this server`);
    if (known) failAt(node, `"${node.name}" directive is not allowed here`);
    throw new UnknownDirectiveError(node);
  }

  errorLog(f: BlockFrame<Main>): void {
    const logs = this.#ownLogs.get(f.scope.loc) ?? [];
    const log = this.input.logs.parse(
      f.args,
      (m) => f.fail(m),
      (t) => f.scope.path(t),
    );
    if (log) logs.push(log);
    this.#ownLogs.set(f.scope.loc, logs);
  }

  // ---------------------------------------------------------------- merging

  protected merge(loc: Loc, parent: Loc | null): void {
    for (const module of this.modules) {
      const conf = loc.confs[module.index] as Record<string, unknown>;
      const from = parent?.confs[module.index] as Record<string, unknown> | undefined;
      for (const [name, spec] of Object.entries(module.table)) {
        const own = conf[name] ?? null;
        const inherited = from?.[name] ?? null;
        conf[name] = (spec.merge ? spec.merge(inherited, own) : (own ?? inherited)) ?? spec.fallback;
      }
    }
    loc.errorLogs = this.#ownLogs.get(loc) ?? parent?.errorLogs ?? this.input.mainLogs;
    loc.debug = loc.errorLogs.some((log) => log.level >= DEBUG_LEVEL);
    this.mergeOwn(loc, parent);
    for (const module of this.modules) {
      try {
        module.finish?.(module.conf(loc), loc);
      } catch (error) {
        if (typeof error === 'string') failAt(this.#end, error);
        throw error;
      }
    }
  }

  /** Merges settings that are not in module tables, before the modules' `finish` runs. */
  protected mergeOwn(_loc: Loc, _parent: Loc | null): void {}
}

/** Runs the last steps of a build. @throws ConfigError for errors that are strings */
export function finishBuild(steps: () => void): void {
  try {
    steps();
  } catch (error) {
    if (typeof error === 'string') throw new ConfigError(error);
    throw error;
  }
}
