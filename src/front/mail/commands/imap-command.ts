// Commands of IMAP: a tag, a name, and arguments that are atoms, quoted strings or literals ({SIZE} at the end of a line, then as many bytes).

export interface ImapCommand {
  name: string;
  args: string[];
}

export type ImapParsed =
  | { kind: 'more' }
  /** the client waits for permission to send a literal */
  | { kind: 'literal' }
  /** more bytes than the buffer may hold */
  | { kind: 'too long' }
  /** `literalFollows`: what comes next is data of the malformed command, not a command */
  | { kind: 'invalid'; used: number; literalFollows: boolean }
  | { kind: 'command'; used: number; command: ImapCommand };

const NAMES = new Set(['LOGIN', 'AUTHENTICATE', 'CAPABILITY', 'LOGOUT', 'NOOP', 'STARTTLS']);
const MAX_ARGS = 3;
const LF = 10;

const MAX_TAG = 32;
const TAG = new RegExp(`^[A-Za-z0-9._-]{1,${MAX_TAG}} `);
const NAME = / *([A-Za-z]+)(?= |$)/y;
const LITERAL = /\{(\d{1,10})(\+?)\}$/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;
const ATOM = /[^ ]+/y;

/** Parses one command after the other. A command may arrive in any number of pieces; each byte is examined once per line. */
export class ImapParser {
  readonly #maxBytes: number;
  /** of the current command, with the space that follows it; '' if it is unknown */
  tag = '';
  #name = '';
  #args: string[] = [];
  /** parsed, in bytes from the start of the command */
  #at = 0;
  /** no line end before it */
  #scanned = 0;
  /** bytes of the literal to read, -1: none */
  #literal = -1;

  /** @param maxBytes  longest command */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Discards the current command. */
  reset(): void {
    this.tag = '';
    this.#begin();
  }

  #begin(): void {
    this.#name = '';
    this.#args = [];
    this.#at = this.#scanned = 0;
    this.#literal = -1;
  }

  #more(bytes: Buffer): ImapParsed {
    if (bytes.length < this.#maxBytes) return { kind: 'more' };
    if (this.#name === '') this.#readTag(bytes.latin1Slice(0, MAX_TAG + 1));
    return { kind: 'too long' };
  }

  /** @param text  start of a command */
  #readTag(text: string): void {
    this.tag = TAG.exec(text)?.[0] ?? '';
  }

  /** @param bytes  received since the end of the last command; the caller removes what `used` says */
  parse(bytes: Buffer): ImapParsed {
    for (;;) {
      if (this.#literal >= 0) {
        if (bytes.length < this.#at + this.#literal) return this.#more(bytes);
        this.#args.push(bytes.latin1Slice(this.#at, this.#at + this.#literal));
        this.#at += this.#literal;
        this.#literal = -1;
      }
      const lf = bytes.indexOf(LF, Math.max(this.#scanned, this.#at));
      if (lf < 0) {
        this.#scanned = bytes.length;
        return this.#more(bytes);
      }
      const line = bytes.latin1Slice(this.#at, lf).replace(/\r$/, '');
      this.#at = lf + 1;
      if (this.#name === '') this.#readTag(line);
      const result = line.includes('\r') ? 'invalid' : this.#line(line);
      if (result === 'literal') {
        if (this.#at + this.#literal > this.#maxBytes) return { kind: 'too long' };
        return { kind: 'literal' };
      }
      if (result === 'unasked literal') {
        if (this.#at + this.#literal > this.#maxBytes) return { kind: 'too long' };
        continue;
      }
      const used = this.#at;
      if (used > this.#maxBytes) return { kind: 'too long' };
      const command = { name: this.#name, args: this.#args };
      this.#begin();
      return result === 'invalid' ? { kind: 'invalid', used, literalFollows: line.endsWith('+}') } : { kind: 'command', used, command };
    }
  }

  /** Parses a line, or the rest of one after a literal. */
  #line(line: string): 'done' | 'literal' | 'unasked literal' | 'invalid' {
    let at = 0;
    if (this.#name === '') {
      NAME.lastIndex = this.tag.length;
      const name = NAME.exec(line)?.[1].toUpperCase() ?? '';
      if (this.tag === '' || !NAMES.has(name)) return 'invalid';
      this.#name = name;
      at = NAME.lastIndex;
    } else if (line !== '' && !line.startsWith(' ')) return 'invalid';
    for (;;) {
      while (line[at] === ' ') at++;
      if (at >= line.length) return 'done';
      if (this.#args.length >= MAX_ARGS) return 'invalid';
      if (line[at] === '{') {
        LITERAL.lastIndex = at;
        const literal = LITERAL.exec(line);
        if (!literal) return 'invalid';
        this.#literal = Number(literal[1]);
        return literal[2] ? 'unasked literal' : 'literal';
      }
      const token = line[at] === '"' ? QUOTED : ATOM;
      token.lastIndex = at;
      const m = token.exec(line);
      if (!m) return 'invalid';
      this.#args.push(token === QUOTED ? m[1].replace(/\\(.)/gs, '$1') : m[0]);
      at = token.lastIndex;
    }
  }
}
