// All directives of the front by block, read from the tables of its modules: for hints about a configuration and for the reference.
import { ANY_COUNT, CONTEXT_NAMES, HTTP, SERVER, type Spec, UPSTREAM } from '../config/directive.ts';
import { HTTP_STRUCTURE } from '../http/build/build.ts';
import { REGISTRY } from '../http/build/registry.ts';
import { Variables } from '../http/config/variables.ts';
import type { HttpModule } from '../http/model/types.ts';
import { addCoreVariables } from '../http/modules/variables/core-variables.ts';
import { MAIL_MODULES, NOT_IN_MAIL } from '../mail/build.ts';
import { MAIN_DIRECTIVES } from '../process/main-conf.ts';
import { allStreamModules } from '../stream/registry.ts';

export type Block = 'main' | 'http' | 'stream' | 'mail';

export interface Directive {
  readonly name: string;
  /** block that contains it at any depth; `main` outside of all blocks */
  readonly block: Block;
  readonly module: string;
  readonly contexts: readonly string[];
  readonly min: number;
  /** null for any number of arguments */
  readonly max: number | null;
  readonly hasBlock: boolean;
  /** as the reference shows it, '' if there is none */
  readonly defaultText: string;
}

type Shape = Pick<Spec<unknown>, 'contexts' | 'min' | 'max'> & Partial<Pick<Spec<unknown>, 'block' | 'defaultText'>>;

/** Contexts that blocks other than http have; directives shared with http allow more. */
const OTHER_CONTEXTS = HTTP | SERVER | UPSTREAM;
/** Structural directives that stream and mail share with http. */
const SHARED_STRUCTURE: Readonly<Record<'stream' | 'mail', readonly string[]>> = {
  stream: ['server', 'server_name', 'listen', 'error_log'],
  mail: ['server', 'listen', 'error_log'],
};

function directive(name: string, shape: Shape, block: Block, module: string): Directive {
  const bits = block === 'stream' || block === 'mail' ? shape.contexts & OTHER_CONTEXTS : shape.contexts;
  return {
    name,
    block,
    module,
    contexts: CONTEXT_NAMES.filter(([bit]) => bits & bit).map(([bit, context]) => (bit === HTTP && block !== 'main' ? block : context)),
    min: shape.min,
    max: shape.max >= ANY_COUNT ? null : shape.max,
    hasBlock: shape.block ?? false,
    defaultText: shape.defaultText ?? '',
  };
}

const httpModules = async (): Promise<HttpModule[]> => [...new Set((await Promise.all(REGISTRY.map((entry) => entry.load()))).flat())];

/** Names of all variables of http. Loads all modules. */
export async function allVariables(): Promise<string[]> {
  const variables = new Variables();
  addCoreVariables(variables);
  for (const module of await httpModules()) variables.add(module.variables ?? []);
  return variables.builtIn;
}

/** Every directive, in the order of the modules. Loads all of them. */
export async function allDirectives(): Promise<Directive[]> {
  const structure = Object.entries(HTTP_STRUCTURE);
  const shared = (block: 'stream' | 'mail'): Directive[] =>
    structure.filter(([name]) => SHARED_STRUCTURE[block].includes(name)).map(([name, spec]) => directive(name, spec, block, 'core'));
  const ofTable = (table: object, block: Block, module: string): Directive[] =>
    Object.entries(table as Record<string, Shape>)
      .filter(([, spec]) => spec.contexts !== 0)
      .map(([name, spec]) => directive(name, spec, block, module));
  return [
    ...ofTable(MAIN_DIRECTIVES, 'main', 'main'),
    ...structure.map(([name, spec]) => directive(name, spec, 'http', 'core')),
    ...(await httpModules()).flatMap((module) => ofTable(module.table, 'http', module.name)),
    ...shared('stream'),
    ...(await allStreamModules()).flatMap((module) => ofTable(module.table, 'stream', module.name.replace(/^stream_/, ''))),
    ...shared('mail'),
    ...MAIL_MODULES.flatMap((module) => ofTable(module.table, 'mail', module.name.replace(/^mail_/, ''))).filter(
      ({ name }) => !NOT_IN_MAIL.has(name),
    ),
  ];
}
