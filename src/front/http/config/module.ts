/** What a module is: its directive table, variables, phase handlers and filters. */
import type { ConfOf, Frame, Table } from '../../config/directive.ts';
import type { Request } from '../phases/http-request.ts';
import type { HttpMain, Loc, Server } from './conf.ts';
import type { Value } from './value.ts';
import type { VariableDef, VariableFamily } from './variables.ts';

/** Request phases in order; find-config, post-rewrite and post-access belong to the engine. */
export type Phase = 'postRead' | 'serverRewrite' | 'rewrite' | 'preaccess' | 'access' | 'precontent' | 'content' | 'log';

/** Returns a code of codes.ts or a status. */
export type Handler = (r: Request) => number;

/** A piece of a response body: bytes in memory, or a region of an open file. */
export interface FileSpan {
  fd: number;
  start: number;
  end: number;
}
export type Piece = Buffer | FileSpan;
export const isFileSpan = (piece: Piece): piece is FileSpan => !Buffer.isBuffer(piece);
export const pieceLength = (piece: Piece): number => (Buffer.isBuffer(piece) ? piece.length : piece.end - piece.start);

export interface BodyFlags {
  /** nothing of this request's body follows */
  last: boolean;
  /** pass on what is held */
  flush: boolean;
  /** of this request's own body nothing follows, but a subrequest's does */
  ownEnd?: boolean;
}
/** Handles pieces and passes what is ready with `r.nextBody(position, pieces, flags)`. Returns OK or ERROR. */
export type BodyFilter = (r: Request, pieces: Piece[], flags: BodyFlags, position: number) => number;

/** Order in which filters run on a response, first to last. */
export const FILTER_ORDER = [
  'slice',
  'not_modified',
  'range_body',
  'headers',
  'userid',
  'gunzip',
  'addition',
  'sub',
  'charset',
  'ssi',
  'js',
  'postpone',
  'gzip',
  'range_header',
  'chunked',
  'write',
] as const;
export type FilterName = (typeof FILTER_ORDER)[number];

export interface HttpModule<T extends Table = Table> {
  name: string;
  index: number;
  table: T;
  /** the module's configuration at a level; after merging every directive has a value */
  conf(loc: Loc): ConfOf<T>;
  /** adds phase handlers, filters and variables once the whole configuration was read */
  init?(main: HttpMain): void;
  /** called for each level after its values are merged */
  finish?(conf: ConfOf<T>, loc: Loc): void;
  variables?: VariableDef[];
  families?: VariableFamily[];
  /** called once in each worker before it serves */
  start?(main: HttpMain): void | Promise<void>;
}

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
