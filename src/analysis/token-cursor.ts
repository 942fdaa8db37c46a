import type { AnalysisHost } from '../wasm/analysis.ts';
import type { Analyzer } from './analyzer.ts';
import { TOKEN_TYPES } from './token-types.ts';
import { decodeWtf8 } from './wtf8.ts';

/** Words of a token record (assembly/analysis/token.ts). */
const TOKEN_WORDS = 8;

/** One token of a run at a time, read from kernel memory when it is asked for. */
export class TokenCursor {
  /** Absolute position, from 0. */
  position = -1;
  private bytes: Uint8Array = new Uint8Array(0);
  private words: Uint32Array = new Uint32Array(0);
  private at = 0;

  constructor(private readonly host: AnalysisHost) {}

  /** The term as a string; made anew on each call. */
  get term(): string {
    return decodeWtf8(this.bytes, this.termStart, this.termEnd);
  }

  /** Memory under the term: bytes [termStart, termEnd) are its UTF-8 form. */
  get memory(): Uint8Array {
    return this.bytes;
  }

  get termStart(): number {
    return this.words[this.at];
  }

  get termEnd(): number {
    return this.words[this.at] + this.words[this.at + 1];
  }

  get startOffset(): number {
    return this.words[this.at + 2];
  }

  get endOffset(): number {
    return this.words[this.at + 3];
  }

  get positionIncrement(): number {
    return this.words[this.at + 4];
  }

  get positionLength(): number {
    return this.words[this.at + 5];
  }

  get type(): string {
    return TOKEN_TYPES[this.words[this.at + 6] & 0xffff] ?? 'word';
  }

  /** Runs an analyzer over a text. A text whose token outgrows the kernels' buffer is run twice, but each token is visited once. */
  run(analyzer: Analyzer, text: string, visit: (token: TokenCursor) => void): number {
    let seen = 0;
    let visited = 0;
    this.position = -1;
    this.host.run(
      analyzer.cursorProgram,
      analyzer.runInput(text),
      (bytes, words, tokensPtr, count) => {
        this.bytes = bytes;
        this.words = words;
        const first = (tokensPtr >>> 2) + Math.min(visited - seen, count) * TOKEN_WORDS;
        const end = (tokensPtr >>> 2) + count * TOKEN_WORDS;
        seen += count;
        visited = Math.max(visited, seen);
        for (let at = first; at < end; at += TOKEN_WORDS) {
          this.at = at;
          this.position += words[at + 4];
          visit(this);
        }
      },
      () => {
        seen = 0;
      },
    );
    return visited;
  }
}
