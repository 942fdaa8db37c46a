// SMTP before the login: greeting, HELO and EHLO, STARTTLS, AUTH, and MAIL and RCPT of clients that need no login; and the dialog that introduces
// the client to the back end.
import { ANY_COUNT, custom, HS, msec, size, wordsOf } from '../../config/directive.ts';
import type { BlockFrame } from '../../http/config/module.ts';
import type { Loc } from '../../http/model/types.ts';
import { clientHost } from '../client-host.ts';
import { mailCore } from '../core.ts';
import {
  type AuthMethod,
  type ClientDialog,
  defineMailModule,
  type LoginScript,
  type LoginStep,
  type MailProtocol,
  type MailSession,
  type Outcome,
} from '../model.ts';
import { mailProxy } from '../proxy/conf.ts';
import { type TlsOffer, tlsOffer } from '../ssl.ts';
import type { LineCommand } from './line-command.ts';
import { LineDialog } from './line-dialog.ts';
import { makeSalt, methodNames, readCapabilities } from './offers.ts';
import { Sasl, type SaslStep } from './sasl.ts';

const SHOWN = ['plain', 'login', 'cram-md5', 'external'];
const RULES = {
  names: new Set(['HELO', 'EHLO', 'QUIT', 'AUTH', 'NOOP', 'MAIL', 'RSET', 'RCPT', 'VRFY', 'EXPN', 'HELP', 'STARTTLS']),
  maxArgs: 11,
  wholeRest: new Set<string>(),
};

export const mailSmtp = defineMailModule('mail_smtp', {
  smtp_client_buffer: size(HS, '4k'),
  smtp_greeting_delay: msec(HS, '0'),
  smtp_capabilities: custom<string[]>(HS, [1, ANY_COUNT], [], (f: BlockFrame, previous) => readCapabilities(f, previous), {
    repeats: true,
  }),
  smtp_auth: wordsOf(HS, [...SHOWN, 'none'], ['plain', 'login']),
});

function capabilities(loc: Loc, offer: TlsOffer): string {
  const { smtp_capabilities, smtp_auth } = mailSmtp.conf(loc);
  const lines = [mailCore.conf(loc).server_name, ...smtp_capabilities];
  const methods = methodNames(smtp_auth, SHOWN);
  if (methods.length > 0 && offer !== 'only') lines.push(`AUTH ${methods.join(' ')}`);
  if (offer !== 'none') lines.push('STARTTLS');
  return lines.map((line, n) => `250${n === lines.length - 1 ? ' ' : '-'}${line}\r\n`).join('');
}

const OK = '250 2.0.0 OK\r\n';
const INVALID_ARGUMENT = '501 5.5.4 Invalid argument\r\n';
const AUTH_REQUIRED = '530 5.7.1 Authentication required\r\n';
const BAD_SEQUENCE = '503 5.5.1 Bad sequence of commands\r\n';
/** Sent to a client that does not wait for the greeting. */
export const IMPROPER_PIPELINING = '503 5.5.0 Improper use of SMTP command pipelining\r\n';

class SmtpDialog extends LineDialog implements ClientDialog {
  readonly bufferSize: number;
  readonly #session: MailSession;
  readonly #methods: ReadonlySet<string>;
  protected readonly rules = RULES;
  protected readonly sasl: Sasl;

  constructor(session: MailSession) {
    super();
    this.#session = session;
    const { smtp_client_buffer, smtp_auth } = mailSmtp.conf(session.loc);
    this.bufferSize = smtp_client_buffer;
    this.#methods = smtp_auth;
    this.sasl = new Sasl(session, smtp_auth, () => makeSalt(session.loc));
  }

  greeting(): string {
    return `220 ${mailCore.conf(this.#session.loc).server_name} ESMTP ready\r\n`;
  }

  restart(): void {
    this.sasl.cancel();
  }

  invalid(): string {
    return '500 5.5.1 Invalid command\r\n';
  }

  refusal(message: string, code: string): string {
    return `${code || '535 5.7.0'} ${message}\r\n`;
  }

  protected run(command: LineCommand): Outcome {
    const offer = tlsOffer(this.#session);
    switch (command.name) {
      case 'HELO':
      case 'EHLO':
        return this.#hello(command, offer);
      case 'AUTH':
        if (offer === 'only') return say(this.invalid());
        return command.args.length === 0 ? say(INVALID_ARGUMENT) : this.exchange(this.sasl.begin(command.args));
      case 'MAIL':
        return this.#mail(command);
      case 'RCPT':
        return this.#rcpt(command);
      case 'RSET':
        this.#forget();
        return say(OK);
      case 'NOOP':
        return say(OK);
      case 'QUIT':
        return { ...say('221 2.0.0 Bye\r\n'), quit: true };
      case 'STARTTLS':
        return this.#startTls(offer);
      default:
        return say(this.invalid());
    }
  }

  #hello({ name, args }: LineCommand, offer: TlsOffer): Outcome {
    if (args.length !== 1) return say(INVALID_ARGUMENT);
    const { envelope, loc } = this.#session;
    [envelope.helo] = args;
    this.#forget();
    if (name === 'HELO') return say(`250 ${mailCore.conf(loc).server_name}\r\n`);
    envelope.extended = true;
    return say(capabilities(loc, offer));
  }

  #forget(): void {
    this.#session.envelope.from = this.#session.envelope.to = '';
  }

  /** State from the plain connection is discarded (RFC 3207). */
  #startTls(offer: TlsOffer): Outcome {
    if (offer === 'none') return say(this.invalid());
    this.#session.envelope.helo = '';
    this.#forget();
    return { act: 'starttls', text: '220 2.0.0 Start TLS\r\n' };
  }

  #mail({ text, args }: LineCommand): Outcome {
    const { envelope } = this.#session;
    if (!this.#methods.has('none')) {
      this.#session.log('info', `client was rejected: "${text}__"`);
      return say(AUTH_REQUIRED);
    }
    if (envelope.from !== '') return say(BAD_SEQUENCE);
    if (args.length === 0) return say(INVALID_ARGUMENT);
    envelope.from = text;
    this.#session.login = '';
    return say(OK);
  }

  #rcpt({ text, args }: LineCommand): Outcome {
    const { envelope } = this.#session;
    if (envelope.from === '') return say(BAD_SEQUENCE);
    if (args.length === 0) return say(INVALID_ARGUMENT);
    envelope.to = text;
    return { act: 'login', credentials: { method: 'none', user: '', secret: '' } };
  }

  protected exchange(step: SaslStep): Outcome {
    if (step.act === 'login') return step;
    return say(step.act === 'prompt' ? `334 ${step.text}\r\n` : this.invalid());
  }

  loginScript(method: AuthMethod, password: string | null): LoginScript {
    const { loc, envelope, login } = this.#session;
    const { xclient, proxy_smtp_auth: authenticates } = mailProxy.conf(loc);
    // a client without a login was accepted up to its first recipient
    const anonymous = method === 'none';
    const steps: LoginStep[] = [{ action: 'reading response from upstream', send: '', accepts: status('220') }];
    const add = (action: string, send: string, accepts: LoginStep['accepts']): void => {
      steps.push({ action: `sending ${action} to upstream`, send: `${send}\r\n`, accepts });
    };
    add('HELO/EHLO', `${envelope.extended || xclient ? 'EHLO' : 'HELO'} ${mailCore.conf(loc).server_name}`, status('250'));
    if (xclient) {
      add('XCLIENT', xclientCommand(this.#session, authenticates), status('220', '250'));
      if (envelope.helo !== '') add('client HELO/EHLO', `${envelope.extended ? 'EHLO' : 'HELO'} ${envelope.helo}`, status('250'));
    }
    if (anonymous) {
      add('MAIL FROM', envelope.from, status('250'));
      add('RCPT TO', envelope.to, () => true);
    } else if (authenticates) {
      const identity = Buffer.from(`\0${login}\0${password ?? ''}`, 'latin1').toString('base64');
      add('AUTH', `AUTH PLAIN ${identity}`, status('235'));
    }
    return {
      steps,
      findReply: findSmtpReply,
      success: anonymous ? null : '235 2.0.0 OK\r\n',
      needsPassword: authenticates && !anonymous,
      tag: '',
    };
  }
}

const say = (text: string): { act: 'reply'; text: string } => ({ act: 'reply', text });

const status =
  (...codes: string[]) =>
  (reply: string): boolean =>
    codes.includes(reply.slice(0, 3));

/** The client's address, name and login. The login follows in AUTH if there is one. */
function xclientCommand(s: MailSession, authenticates: boolean): string {
  const address = s.remoteAddr.includes(':') && !s.remoteAddr.startsWith('unix:') ? `IPV6:${s.remoteAddr}` : s.remoteAddr;
  const login = s.login !== '' && !authenticates ? ` LOGIN=${xtext(s.login)}` : '';
  return `XCLIENT ADDR=${address}${login} NAME=${s.host}`;
}

/** Escapes what attributes of XCLIENT cannot contain (RFC 1891). */
const xtext = (text: string): string =>
  text.replace(/[^!-*,-<>-~]/g, (char) => `+${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** Lines of a reply but the last have a `-` after the code. */
function findSmtpReply(received: Buffer): { start: number; end: number } | null {
  for (let at = 0; ; ) {
    const end = received.indexOf('\r\n', at);
    if (end < 0) return null;
    if (received[at + 3] !== 0x2d) return { start: 0, end: end + 2 };
    at = end + 2;
  }
}

export const smtp: MailProtocol = {
  name: 'smtp',
  ports: [25, 465, 587],
  internalError: '451 4.3.2 Internal server error\r\n',
  certificateError: '421 4.7.1 SSL certificate error\r\n',
  noCertificate: '421 4.7.1 No required SSL certificate\r\n',
  greetingDelayMs: (loc) => mailSmtp.conf(loc).smtp_greeting_delay,
  findHost: clientHost,
  start: (session) => new SmtpDialog(session),
};
