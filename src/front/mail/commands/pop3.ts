// POP3 before the login: greeting, CAPA, STLS, USER and PASS, APOP and AUTH; and the login to the back end.
import { ANY_COUNT, custom, HS, wordsOf } from '../../config/directive.ts';
import type { BlockFrame } from '../../http/config/module.ts';
import type { Loc } from '../../http/model/types.ts';
import {
  type AuthMethod,
  type ClientDialog,
  defineMailModule,
  type LoginScript,
  type MailProtocol,
  type MailSession,
  type Outcome,
} from '../model.ts';
import { type TlsOffer, tlsOffer } from '../ssl.ts';
import type { LineCommand } from './line-command.ts';
import { LineDialog } from './line-dialog.ts';
import { makeSalt, methodNames, readCapabilities } from './offers.ts';
import { Sasl, type SaslStep } from './sasl.ts';

/** names shown; enabling `plain` also enables LOGIN */
const SHOWN = ['plain', 'login', 'cram-md5', 'external'];
/** nginx allows 128 bytes, too few for the base64 of a long password or a token */
const BUFFER_BYTES = 4096;
const RULES = {
  names: new Set(['USER', 'PASS', 'APOP', 'QUIT', 'CAPA', 'AUTH', 'NOOP', 'STLS']),
  maxArgs: 3,
  wholeRest: new Set(['USER', 'PASS']),
};

export const mailPop3 = defineMailModule('mail_pop3', {
  pop3_capabilities: custom<string[]>(
    HS,
    [1, ANY_COUNT],
    ['TOP', 'USER', 'UIDL'],
    (f: BlockFrame, previous) => readCapabilities(f, previous),
    {
      repeats: true,
      defaultText: 'TOP USER UIDL',
    },
  ),
  pop3_auth: wordsOf(HS, ['plain', 'apop', 'cram-md5', 'external'], ['plain']),
});

const shownMethods = (loc: Loc): string[] => {
  const { pop3_auth } = mailPop3.conf(loc);
  return methodNames(pop3_auth.has('plain') ? new Set([...pop3_auth, 'login']) : pop3_auth, SHOWN);
};

const list = (first: string, lines: readonly string[]): string => `${[first, ...lines, '.'].join('\r\n')}\r\n`;

function capabilities(loc: Loc, offer: TlsOffer): string {
  const { pop3_capabilities } = mailPop3.conf(loc);
  const lines = [...pop3_capabilities, ['SASL', ...shownMethods(loc)].join(' '), 'STLS'];
  const shown =
    offer === 'none'
      ? lines.slice(0, -1)
      : offer === 'on'
        ? lines
        : [...pop3_capabilities.filter((name) => name.toUpperCase() !== 'USER'), 'STLS'];
  return list('+OK Capability list follows', shown);
}

function findLine(received: Buffer): { start: number; end: number } | null {
  const at = received.indexOf('\r\n');
  return at < 0 ? null : { start: 0, end: at + 2 };
}

class Pop3Dialog extends LineDialog implements ClientDialog {
  readonly bufferSize = BUFFER_BYTES;
  readonly #session: MailSession;
  readonly #methods: ReadonlySet<string>;
  protected readonly rules = RULES;
  protected readonly sasl: Sasl;
  /** USER was accepted */
  #hasUser = false;

  constructor(session: MailSession) {
    super();
    this.#session = session;
    this.#methods = mailPop3.conf(session.loc).pop3_auth;
    this.sasl = new Sasl(session, this.#methods, () => makeSalt(session.loc));
  }

  greeting(): string {
    if (!this.#methods.has('apop') && !this.#methods.has('cram-md5')) return '+OK POP3 ready\r\n';
    this.#session.salt = makeSalt(this.#session.loc);
    return `+OK POP3 ready ${this.#session.salt}\r\n`;
  }

  restart(): void {
    this.sasl.cancel();
    this.#hasUser = false;
  }

  invalid(): string {
    return '-ERR invalid command\r\n';
  }

  refusal(message: string): string {
    return `-ERR ${message}\r\n`;
  }

  protected run({ name, args }: LineCommand): Outcome {
    if (name === 'NOOP') return this.#ok();
    if (name === 'QUIT') return { ...this.#ok(), quit: true };
    const offer = tlsOffer(this.#session);
    if (this.#hasUser) {
      if (name === 'CAPA') return this.#say(capabilities(this.#session.loc, 'none'));
      return name === 'PASS' && args.length === 1 ? this.#login('plain', this.#session.login, args[0]) : this.#refuse();
    }
    if (name === 'CAPA') return this.#say(capabilities(this.#session.loc, offer));
    if (name === 'STLS') return offer === 'none' ? this.#refuse() : { act: 'starttls', text: this.#ok().text };
    if (offer === 'only') return this.#refuse();
    switch (name) {
      case 'USER':
        if (args.length !== 1) return this.#refuse();
        [this.#session.login] = args;
        this.#hasUser = true;
        return this.#ok();
      case 'APOP':
        return args.length === 2 && this.#methods.has('apop') ? this.#login('apop', args[0], args[1]) : this.#refuse();
      case 'AUTH':
        if (args.length === 0) return this.#say(list('+OK methods supported:', shownMethods(this.#session.loc)));
        return this.exchange(this.sasl.begin(args));
      default:
        return this.#refuse();
    }
  }

  #login(method: 'plain' | 'apop', user: string, secret: string): Outcome {
    return { act: 'login', credentials: { method, user, secret } };
  }

  #ok(): { act: 'reply'; text: string } {
    return this.#say('+OK\r\n');
  }

  #say(text: string): { act: 'reply'; text: string } {
    return { act: 'reply', text };
  }

  #refuse(): Outcome {
    this.restart();
    return this.#say(this.invalid());
  }

  protected exchange(step: SaslStep): Outcome {
    if (step.act === 'login') return step;
    return step.act === 'prompt' ? this.#say(`+ ${step.text}\r\n`) : this.#refuse();
  }

  loginScript(_method: AuthMethod, password: string | null): LoginScript {
    const accepts = (reply: string): boolean => reply.startsWith('+OK');
    return {
      steps: [
        { action: 'reading response from upstream', send: '', accepts },
        { action: 'sending user name to upstream', send: `USER ${this.#session.login}\r\n`, accepts },
        { action: 'sending password to upstream', send: `PASS ${password ?? ''}\r\n`, accepts },
      ],
      findReply: findLine,
      success: null,
      needsPassword: true,
      tag: '',
    };
  }
}

export const pop3: MailProtocol = {
  name: 'pop3',
  ports: [110, 995],
  internalError: '-ERR internal server error\r\n',
  certificateError: '-ERR SSL certificate error\r\n',
  noCertificate: '-ERR No required SSL certificate\r\n',
  greetingDelayMs: () => 0,
  findHost: null,
  start: (session) => new Pop3Dialog(session),
};
