// Defines modules of the http and stream servers, and the scope in which their directives are parsed.
import type { ConfOf, Frame, Table } from '../../config/directive.ts';
import type { BlockMain, HttpMain, HttpModule, Loc, Server } from '../model/types.ts';
import type { Value } from './value.ts';

let moduleCount = 0;

type Parts<T extends Table, Main extends BlockMain> = Partial<
  Pick<HttpModule<T, Main>, 'init' | 'finish' | 'variables' | 'families' | 'start'>
>;

export function defineModule<T extends Table, Main extends BlockMain = HttpMain>(
  name: string,
  table: T,
  parts: Parts<T, Main> = {},
): HttpModule<T, Main> {
  const index = moduleCount++;
  return { name, index, table, conf: (loc) => loc.confs[index] as ConfOf<T>, ...parts };
}

/** A module that every kind of block may have. */
export const defineSharedModule = <T extends Table>(name: string, table: T, parts: Parts<T, BlockMain> = {}): HttpModule<T, BlockMain> =>
  defineModule<T, BlockMain>(name, table, parts);

/** Context in which a directive of a block is read. */
export interface BlockScope<Main extends BlockMain = BlockMain> {
  main: Main;
  loc: Loc;
  server: Server | null;
  context: number;
  /** reads the children of the current directive as directives of `context` at level `loc` */
  readChildren(frame: BlockFrame<Main>, context: number, loc: Loc): void;
  /** parses a string with variables */
  value(text: string): Value;
  /** runs `check` when the whole block has been read, for references to other directives */
  later(check: () => void): void;
  /** writes a line to the error log at the start, with file and line of the directive */
  warn(message: string): void;
  /** makes a path absolute from the prefix (`conf`: from the folder of the configuration file) */
  path(text: string, from?: 'prefix' | 'conf'): string;
}
export type BlockFrame<Main extends BlockMain = BlockMain> = Frame<BlockScope<Main>>;
export type HttpFrame = BlockFrame<HttpMain>;
