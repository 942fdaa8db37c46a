// A token outside the analyzers.

/** A token as the API and queries see it. */
export interface AnalyzedToken {
  readonly term: string;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly type: string;
  /** Absolute position, from 0. */
  readonly position: number;
  readonly positionLength: number;
  /** Bytes that a filter such as delimited_payload attached to the token. */
  readonly payload?: Uint8Array;
}
