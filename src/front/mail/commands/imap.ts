// IMAP before the login: greeting, CAPABILITY, STARTTLS, LOGIN and AUTHENTICATE; and the login to the back end.
import { ANY_COUNT, custom, HS, size, wordsOf } from '../../config/directive.ts';
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
import { tlsOffer } from '../ssl.ts';
import { type ImapCommand, ImapParser } from './imap-command.ts';
import type { InputBuffer } from './input-buffer.ts';
import { parseAnswer } from './line-command.ts';
import { makeSalt, methodNames, readCapabilities } from './offers.ts';
import { Sasl, type SaslStep } from './sasl.ts';

const METHODS = ['plain', 'login', 'cram-md5', 'external'];

export const mailImap = defineMailModule('mail_imap', {
  imap_client_buffer: size(HS, '4k'),
  imap_capabilities: custom<string[]>(
    HS,
    [1, ANY_COUNT],
    ['IMAP4', 'IMAP4rev1', 'UIDPLUS'],
    (f: BlockFrame, previous) => readCapabilities(f, previous),
    {
      repeats: true,
      defaultText: 'IMAP4 IMAP4rev1 UIDPLUS',
    },
  ),
  imap_auth: wordsOf(HS, METHODS, ['plain']),
});

function capabilities(loc: Loc, offer: ReturnType<typeof tlsOffer>): string {
  const { imap_capabilities, imap_auth } = mailImap.conf(loc);
  const auth = offer === 'only' ? [] : methodNames(imap_auth, METHODS).map((name) => `AUTH=${name}`);
  const tls = offer === 'only' ? ['STARTTLS', 'LOGINDISABLED'] : offer === 'on' ? ['STARTTLS'] : [];
  return `* CAPABILITY ${[...imap_capabilities, ...auth, ...tls].join(' ')}\r\n`;
}

class ImapDialog implements ClientDialog {
  readonly bufferSize: number;
  readonly #session: MailSession;
  readonly #parser: ImapParser;
  readonly #sasl: Sasl;

  constructor(session: MailSession) {
    this.#session = session;
    const { imap_client_buffer, imap_auth } = mailImap.conf(session.loc);
    this.bufferSize = imap_client_buffer;
    this.#parser = new ImapParser(imap_client_buffer);
    this.#sasl = new Sasl(session, imap_auth, () => makeSalt(session.loc));
  }

  greeting(): string {
    return '* OK IMAP4 ready\r\n';
  }

  restart(): void {
    this.#sasl.cancel();
    this.#parser.reset();
  }

  /** Tag of the current command, or `* `. */
  get #tag(): string {
    return this.#parser.tag || '* ';
  }

  invalid(): string {
    return `${this.#tag}BAD invalid command\r\n`;
  }

  refusal(message: string): string {
    return `${this.#parser.tag}NO ${message}\r\n`;
  }

  read(input: InputBuffer): Outcome {
    if (this.#sasl.active) {
      const taken = input.takeLine(this.bufferSize);
      if (typeof taken === 'string') return taken === 'more' ? { act: 'more' } : { act: 'too long', text: this.invalid() };
      const answer = parseAnswer(taken.line);
      if (answer !== null) return this.#exchange(this.#sasl.continue(answer));
      this.#sasl.cancel();
      return { act: 'reply', text: this.invalid(), malformed: true };
    }
    const parsed = this.#parser.parse(input.bytes());
    if (parsed.kind === 'more') return { act: 'more' };
    if (parsed.kind === 'too long') return { act: 'too long', text: this.invalid() };
    if (parsed.kind === 'literal') return { act: 'reply', text: '+ OK\r\n' };
    input.consume(parsed.used);
    if (parsed.kind === 'invalid') return { act: 'reply', text: this.invalid(), malformed: true, quit: parsed.literalFollows };
    return this.#run(parsed.command);
  }

  #run({ name, args }: ImapCommand): Outcome {
    const offer = tlsOffer(this.#session);
    switch (name) {
      case 'NOOP':
        return this.#ok();
      case 'CAPABILITY':
        return this.#ok(capabilities(this.#session.loc, offer));
      case 'LOGOUT':
        return { ...this.#ok('* BYE\r\n'), quit: true };
      case 'STARTTLS':
        return offer === 'none' ? this.#refuse() : { act: 'starttls', text: this.#ok().text };
    }
    if (offer === 'only') return this.#refuse();
    if (name === 'AUTHENTICATE') return this.#exchange(this.#sasl.begin(args));
    const [user, secret] = args;
    if (args.length !== 2 || user === '') return this.#refuse();
    return { act: 'login', credentials: { method: 'plain', user, secret } };
  }

  #ok(untagged = ''): { act: 'reply'; text: string } {
    return { act: 'reply', text: `${untagged}${this.#tag}OK completed\r\n` };
  }

  #refuse(): Outcome {
    return { act: 'reply', text: this.invalid() };
  }

  #exchange(step: SaslStep): Outcome {
    if (step.act === 'login') return step;
    return step.act === 'prompt' ? { act: 'reply', text: `+ ${step.text}\r\n` } : this.#refuse();
  }

  loginScript(_method: AuthMethod, password: string | null): LoginScript {
    const { tag } = this.#parser;
    const { login } = this.#session;
    const secret = password ?? '';
    const permits = (reply: string): boolean => reply.startsWith('+');
    return {
      steps: [
        { action: 'reading response from upstream', send: '', accepts: (reply) => reply.startsWith('* OK') },
        { action: 'sending LOGIN command to upstream', send: `${tag}LOGIN {${login.length}}\r\n`, accepts: permits },
        { action: 'sending user name to upstream', send: `${login} {${secret.length}}\r\n`, accepts: permits },
        { action: 'sending password to upstream', send: `${secret}\r\n`, accepts: (reply) => reply.startsWith(`${tag}OK`) },
      ],
      findReply: findImapReply,
      success: null,
      needsPassword: true,
      tag,
    };
  }
}

/** Untagged responses are data that precede the reply, except to the connection itself: the greeting; and BYE. */
function findImapReply(received: Buffer, isGreeting: boolean): { start: number; end: number } | null {
  for (let start = 0; ; ) {
    const lineEnd = received.indexOf('\r\n', start);
    if (lineEnd < 0) return null;
    const end = lineEnd + 2;
    const line = received.latin1Slice(start, Math.min(end, start + 5));
    if (isGreeting || !line.startsWith('* ') || line.toUpperCase() === '* BYE') return { start, end };
    start = end;
  }
}

export const imap: MailProtocol = {
  name: 'imap',
  ports: [143, 993],
  internalError: '* BAD internal server error\r\n',
  certificateError: '* BYE SSL certificate error\r\n',
  noCertificate: '* BYE No required SSL certificate\r\n',
  greetingDelayMs: () => 0,
  findHost: null,
  start: (session) => new ImapDialog(session),
};
