// AUTH of POP3 and SMTP, AUTHENTICATE of IMAP: the mechanisms PLAIN, LOGIN, CRAM-MD5 and EXTERNAL. Credentials are only read here; the
// authentication server checks them.
import type { Credentials, MailSession } from '../model.ts';

/** The next step after a line of the exchange. */
export type SaslStep =
  /** base64, without the protocol's prefix */
  { act: 'prompt'; text: string } | { act: 'login'; credentials: Credentials } | { act: 'invalid' };

const USERNAME = Buffer.from('Username:').toString('base64');
const PASSWORD = Buffer.from('Password:').toString('base64');
const INVALID: SaslStep = { act: 'invalid' };

/** Decodes base64, which may lack its padding. @returns null if it is malformed */
function decodeBase64(text: string): string | null {
  const data = text.split('=', 1)[0];
  if (!/^[A-Za-z0-9+/]*$/.test(data) || data.length % 4 === 1) return null;
  return Buffer.from(data, 'base64').latin1Slice();
}

const encodeBase64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

type Waiting = 'username' | 'password' | 'plain' | 'cram-md5' | 'external';

/** One exchange at a time. */
export class Sasl {
  readonly #session: MailSession;
  readonly #methods: ReadonlySet<string>;
  readonly #makeSalt: () => string;
  #waiting: Waiting | null = null;

  /** @param methods  enabled methods; PLAIN and LOGIN are accepted regardless. @param makeSalt  called if the session has none yet */
  constructor(session: MailSession, methods: ReadonlySet<string>, makeSalt: () => string) {
    this.#session = session;
    this.#methods = methods;
    this.#makeSalt = makeSalt;
  }

  /** The next line belongs to the exchange. */
  get active(): boolean {
    return this.#waiting !== null;
  }

  cancel(): void {
    this.#waiting = null;
  }

  /** @param args  of the command: the mechanism, and perhaps an initial response */
  begin(args: readonly string[]): SaslStep {
    const [name, initial] = args;
    const mechanism = (name ?? '').toUpperCase();
    if (args.length > 2) return INVALID;
    switch (mechanism) {
      case 'PLAIN':
        return initial === undefined ? this.#prompt('plain', '') : this.#plain(initial);
      case 'LOGIN':
        return initial === undefined ? this.#prompt('username', USERNAME) : this.#username(initial);
      case 'CRAM-MD5':
        if (initial !== undefined || !this.#methods.has('cram-md5')) return INVALID;
        this.#session.salt ||= this.#makeSalt();
        return this.#prompt('cram-md5', encodeBase64(this.#session.salt));
      case 'EXTERNAL':
        if (initial !== undefined) return this.#external(initial);
        return this.#methods.has('external') ? this.#prompt('external', USERNAME) : INVALID;
      default:
        return INVALID;
    }
  }

  /** @param text  the client's answer to the last prompt */
  continue(text: string): SaslStep {
    const waiting = this.#waiting;
    this.#waiting = null;
    switch (waiting) {
      case 'username':
        return this.#username(text);
      case 'password':
        return this.#password(text);
      case 'plain':
        return this.#plain(text);
      case 'cram-md5':
        return this.#cramMd5(text);
      case 'external':
        return this.#external(text);
      default:
        return INVALID;
    }
  }

  #prompt(waiting: Waiting, text: string): SaslStep {
    this.#waiting = waiting;
    return { act: 'prompt', text };
  }

  #decode(text: string, mechanism: string): string | null {
    const decoded = decodeBase64(text);
    if (decoded === null) this.#complain('base64 encoding', mechanism);
    return decoded;
  }

  #complain(what: string, mechanism: string): SaslStep {
    this.#session.log('info', `client sent invalid ${what} in AUTH ${mechanism} command`);
    return INVALID;
  }

  #plain(text: string): SaslStep {
    const decoded = this.#decode(text, 'PLAIN');
    if (decoded === null) return INVALID;
    // authorization identity, user, password
    const login = decoded.indexOf('\0') + 1;
    if (login === 0 || login === decoded.length) return this.#complain('login', 'PLAIN');
    const end = decoded.indexOf('\0', login);
    if (end < 0) return this.#complain('password', 'PLAIN');
    return { act: 'login', credentials: { method: 'plain', user: decoded.slice(login, end), secret: decoded.slice(end + 1) } };
  }

  #username(text: string): SaslStep {
    const user = this.#decode(text, 'LOGIN');
    if (user === null) return INVALID;
    this.#session.login = user;
    return this.#prompt('password', PASSWORD);
  }

  #password(text: string): SaslStep {
    const secret = this.#decode(text, 'LOGIN');
    if (secret === null) return INVALID;
    return { act: 'login', credentials: { method: 'plain', user: this.#session.login, secret } };
  }

  #cramMd5(text: string): SaslStep {
    const decoded = this.#decode(text, 'CRAM-MD5');
    if (decoded === null) return INVALID;
    const space = decoded.indexOf(' ');
    const secret = space < 0 ? '' : decoded.slice(space + 1);
    // The log line names the user.
    this.#session.login = space < 0 ? decoded : decoded.slice(0, space);
    if (secret.length !== 32) return this.#complain('CRAM-MD5 hash', 'CRAM-MD5');
    return { act: 'login', credentials: { method: 'cram-md5', user: this.#session.login, secret } };
  }

  #external(text: string): SaslStep {
    const user = this.#methods.has('external') ? this.#decode(text, 'EXTERNAL') : null;
    return user === null ? INVALID : { act: 'login', credentials: { method: 'external', user, secret: '' } };
  }
}
