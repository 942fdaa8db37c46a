// Pieces of a response body, and the order of the filters that they pass through.

/** A region of an open file. */
export interface FileSpan {
  fd: number;
  start: number;
  end: number;
}

/** Bytes in memory, or a region of an open file. */
export type Piece = Buffer | FileSpan;

export const isFileSpan = (piece: Piece): piece is FileSpan => !Buffer.isBuffer(piece);
export const pieceLength = (piece: Piece): number => (Buffer.isBuffer(piece) ? piece.length : piece.end - piece.start);

export interface BodyFlags {
  /** nothing of this request's body follows */
  last: boolean;
  /** pass on what is held back */
  flush: boolean;
  /** nothing of this request's own body follows, but the body of a subrequest does */
  ownEnd?: boolean;
}

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
  'image',
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
