// Decodes HTTP/1.1 message bodies, of a known length or chunked.
import type { HeaderField } from './header.ts';
import { parseHeaderLine } from './header.ts';

const MAX_CHUNK_LINE = 4096;

/** Decodes a body from raw connection bytes. */
export class BodyDecoder {
  done = false;
  trailers: HeaderField[] = [];
  #state: 'size' | 'data' | 'dataEnd' | 'trailer' = 'size';
  #left: number;
  #line = '';
  #trailerBytes = 0;

  readonly #length: number | undefined;
  readonly #isStrict: boolean;

  /**
   * @param length    bytes, or undefined for chunked
   * @param isStrict  lines of chunked bodies must end in CR LF; otherwise LF alone is accepted
   */
  constructor(length: number | undefined, isStrict = false) {
    this.#length = length;
    this.#isStrict = isStrict;
    this.#left = length ?? 0;
    this.done = length === 0;
  }

  /**
   * Consumes the body's part of `input` and passes its data on.
   * @returns bytes consumed, or -1 for a malformed body
   */
  feed(input: Buffer, onData: (data: Buffer) => void): number {
    if (this.#length !== undefined) {
      const take = Math.min(this.#left, input.length);
      if (take > 0) onData(take === input.length ? input : input.subarray(0, take));
      this.#left -= take;
      this.done = this.#left === 0;
      return take;
    }
    let pos = 0;
    while (pos < input.length && !this.done) {
      if (this.#state === 'data') {
        const take = Math.min(this.#left, input.length - pos);
        onData(input.subarray(pos, pos + take));
        pos += take;
        this.#left -= take;
        if (this.#left === 0) this.#state = 'dataEnd';
        continue;
      }
      const lf = input.indexOf(10, pos);
      const end = lf < 0 ? input.length : lf;
      this.#line += input.latin1Slice(pos, end);
      if (this.#line.length > MAX_CHUNK_LINE) return -1;
      pos = lf < 0 ? end : lf + 1;
      if (lf < 0) {
        // rejected as soon as it can no longer become valid
        if (this.#state === 'dataEnd' && this.#line !== '\r') return -1;
        if (this.#state === 'size' && !/^[0-9A-Fa-f]{0,15}(?:[ \t]*(?:;.*)?)?\r?$/.test(this.#line)) return -1;
        break;
      }
      const hasCr = this.#line.endsWith('\r');
      if (this.#isStrict && !hasCr) return -1;
      const line = hasCr ? this.#line.slice(0, -1) : this.#line;
      this.#line = '';
      if (!this.#takeLine(line)) return -1;
    }
    return pos;
  }

  #takeLine(line: string): boolean {
    if (this.#state === 'dataEnd') {
      this.#state = 'size';
      return line === '';
    }
    if (this.#state === 'size') {
      const match = /^([0-9A-Fa-f]{1,13})[ \t]*(?:;.*)?$/.exec(line);
      if (!match) return false;
      this.#left = Number.parseInt(match[1], 16);
      this.#state = this.#left === 0 ? 'trailer' : 'data';
      return true;
    }
    if (line === '') {
      this.done = true;
      return true;
    }
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > 16_384) return false;
    const field = parseHeaderLine(line, true, true);
    if (field === 'invalid' || (this.#isStrict && !line.includes(':'))) return false;
    if (field !== 'ignored') this.trailers.push(field);
    return true;
  }
}
