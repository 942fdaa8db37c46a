// The parts of a request that refer to no other part of the model: its fields (what was received, the response so far, its progress through the
// phases), and the operations that send the response.
import type { HeaderField } from '../../../http/wire/header.ts';
import type { RequestBody } from '../request/body.ts';
import type { BodyFlags, Piece } from '../request/pieces.ts';
import type { ResponseHead } from '../request/response.ts';
import type { UpstreamState } from './upstream-state.ts';

/** State of a request (types.ts), of a subrequest, too. */
export interface RequestState {
  method: string;
  protocol: string;
  /** 9, 1000, 1001, 2000 */
  version: number;
  requestLine: string;
  /** URI as the client sent it, with query */
  rawUri: string;
  uri: string;
  args: string;
  /** the query is empty, as opposed to absent: nginx distinguishes the two */
  emptyArgs: boolean;
  headersIn: HeaderField[];
  /** host without port, lower case */
  host: string;
  hostPort: string;
  /** -1: unknown */
  contentLength: number;
  chunkedIn: boolean;
  body: RequestBody | null;

  out: ResponseHead;
  /** status that replaces the one of the response: an error page is being sent */
  errStatus: number;
  headerSent: boolean;
  headerOnly: boolean;
  /** the response is sent in chunks */
  chunked: boolean;
  keepalive: boolean;
  /** its head had arrived before the previous request ended */
  pipelined: boolean;
  lingeringClose: boolean;
  allowRanges: boolean;
  /** charset that a back end demands for the response (X-Accel-Charset) */
  overrideCharset: string;
  /** charset of the response, which subrequests are converted to */
  charsetSent: string;
  /** which ranges a response can be cut into: `ascending` while the body comes from a back end, `one` if it was cut already */
  ranges: 'any' | 'ascending' | 'one';
  /** a filter, or the consumer of the output, wants bytes in memory instead of file regions */
  needInMemory: boolean;
  /** a later filter needs the body uncompressed, whatever the client accepts */
  needGunzip: boolean;
  disableNotModified: boolean;
  upgraded: boolean;
  expectTested: boolean;
  expectTrailers: boolean;

  /** `try_files` found a file by its name below the folder that the captures of `alias` yield */
  addUriToAlias: boolean;
  internal: boolean;
  uriChanged: boolean;
  uriChanges: number;
  /** `rawUri` still corresponds to `uri` */
  validRawUri: boolean;
  /** `uri` is the one that the location was chosen by: no `rewrite ... break` replaced it */
  validLocation: boolean;
  errorPage: boolean;
  /** index of the phase step to resume at */
  phaseIndex: number;
  /** access phase: status of a handler that refused under `satisfy any` */
  accessCode: number;
  /** state of modules that an internal redirect resets, by module */
  ctx: unknown[];
  vars: (string | null | undefined)[];
  /** what to do when the connection is writable again, or a subrequest ended */
  resume: () => void;
  /** called when the client disconnects while the request is being processed */
  onAbort: (() => void) | null;
  done: boolean;
  /** it ended normally rather than being cut off */
  complete: boolean;
  /** a header filter replaced the response that was about to be sent */
  cutShort: boolean;
  /** finalized, but not everything is sent yet */
  finishing: boolean;
  background: boolean;
  inMemory: boolean;
  captured: Buffer[];
  readonly isSub: boolean;
  depth: number;
  /** main: running background subrequests */
  backgroundCount: number;
  /** `post_action` was started */
  afterwards: boolean;
  cleanups: (() => void)[];
  /** run after the request was logged */
  endings: (() => void)[];
  /** bits of filters that hold data back */
  buffered: number;
  limitRate: number | null;
  limitRateAfter: number | null;
  requestLength: number;
  readonly startMs: number;
  headerSize: number;
  bodyBytes: number;
  requestId: string;
  /** bytes of the whole body that were never produced: ranges are relative to it */
  rangeSkip: number;
  /** ` while ...`: what log lines say about the work in progress, '' for nothing */
  logState: string;
  /** attempts at peers; `:` separates groups */
  upstreamStates: (UpstreamState | ':')[] | null;
}

/** Sends a response through the filters. */
export interface ResponseOutput {
  /** Runs the header filters, the last of which writes the header. */
  sendHeader(): number;
  /** Runs the header filters after the one that held the response back. */
  continueHeader(): number;
  /** Drops a response whose header is not written yet, for an error to take its place. */
  forgetResponse(): void;
  /** Sends body pieces into the filters. */
  output(pieces: Piece[], last: boolean, flush?: boolean): number;
  /** Sends body pieces into the filters after position `order`. */
  nextBody(pieces: Piece[], flags: BodyFlags, order: number): number;
  /** Puts text (latin1) into the output of a subrequest that failed. */
  emitText(text: string): void;
  /** nothing was produced by a request that ended well */
  readonly bodyless: boolean;
  /** the output goes to the client's plain socket unchanged */
  readonly passesStraight: boolean;
  /** filters derive new data from a piece before `output` returns */
  readonly filtersUseUp: boolean;
  /** A whole body of so many bytes is copied, or turned into new data, before `output` returns. */
  usesUpWhole(bytes: number): boolean;
  /** the client is slower than what is produced */
  readonly blocked: boolean;
  /** Continues filters that hold data, or sends what subrequests left behind. */
  write(): void;
}
