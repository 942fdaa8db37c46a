// Defines modules of the HTTP server, and what their directives see while the configuration is read.
import type { ConfOf, Frame, Table } from '../../config/directive.ts';
import type { HttpMain, HttpModule, Loc, Server } from '../model/types.ts';
import type { Value } from './value.ts';

let moduleCount = 0;

export function defineModule<T extends Table>(
  name: string,
  table: T,
  parts: Partial<Pick<HttpModule<T>, 'init' | 'finish' | 'variables' | 'families' | 'start'>> = {},
): HttpModule<T> {
  const index = moduleCount++;
  return { name, index, table, conf: (loc) => loc.confs[index] as ConfOf<T>, ...parts };
}

/** Where a directive of the http tree is being read. */
export interface HttpScope {
  main: HttpMain;
  loc: Loc;
  server: Server | undefined;
  context: number;
  /** reads the children of the directive at hand as directives of `context` at level `loc` */
  readChildren(frame: HttpFrame, context: number, loc: Loc): void;
  /** text with variables */
  value(text: string): Value;
  /** `check` runs when all of `http { }` is read, to see what another place defines */
  later(check: () => void): void;
  /** a line in the error log at the start, with file and line of the directive */
  warn(message: string): void;
  /** path made absolute from the prefix (`conf`: from the folder of the configuration file) */
  path(text: string, from?: 'prefix' | 'conf'): string;
}
export type HttpFrame = Frame<HttpScope>;
