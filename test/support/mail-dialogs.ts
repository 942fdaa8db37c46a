/** Dialogs of mail without connections: a session that only stores the fields that a dialog sets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Loc } from '../../src/front/http/model/types.ts';
import { imap } from '../../src/front/mail/commands/imap.ts';
import { InputBuffer } from '../../src/front/mail/commands/input-buffer.ts';
import { pop3 } from '../../src/front/mail/commands/pop3.ts';
import { smtp } from '../../src/front/mail/commands/smtp.ts';
import type { ClientDialog, Credentials, MailProtocol, MailSession } from '../../src/front/mail/model.ts';
import { loadCycle, placesOf } from '../../src/front/process/cycle.ts';

const PROTOCOLS: Record<string, MailProtocol> = { imap, pop3, smtp };

/** Settings of a server, from the directives of its block. */
export async function mailServer(directives: string): Promise<Loc> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-mail-'));
  try {
    mkdirSync(path.join(folder, 'logs'));
    writeFileSync(path.join(folder, 'nginx.conf'), `events {} mail { auth_http 127.0.0.1; server { listen 127.0.0.1:1; ${directives} } }`);
    const options = { prefix: folder, config: 'nginx.conf', errorLog: 'logs/error.log', globals: '', test: true, dump: false, quiet: true };
    const cycle = await loadCycle(options, placesOf(options));
    cycle.targets.close();
    return cycle.blocks[0].servers[0].root;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export class FakeSession implements MailSession {
  readonly loc: Loc;
  readonly protocol: MailProtocol;
  readonly remoteAddr = '192.0.2.1';
  readonly remotePort = 1;
  readonly localAddr = '192.0.2.2';
  readonly localPort = 2;
  readonly proxy = null;
  readonly tls = null;
  login = '';
  host = '';
  readonly envelope = { helo: '', extended: false, from: '', to: '' };
  salt = '<1.2@x>';
  action = '';
  readonly logged: string[] = [];

  constructor(loc: Loc, protocol: string) {
    this.loc = loc;
    this.protocol = PROTOCOLS[protocol];
  }
  log(level: string, message: string): void {
    this.logged.push(`[${level}] ${message}`);
  }
  note(level: string, message: string): void {
    this.log(level, message);
  }
}

export interface Transcript {
  replies: string[];
  logins: Credentials[];
  /** why it ended; '' if the dialog would continue */
  end: '' | 'quit' | 'starttls' | 'too long';
  /** largest number of bytes that waited for the rest of a command */
  heldBytes: number;
}

/**
 * Passes the input of a client to a dialog, in pieces. A login is refused, so that the dialog continues.
 * @throws Error a command needed more steps than it has bytes
 */
export function converse(session: FakeSession, pieces: readonly Buffer[]): Transcript {
  const dialog: ClientDialog = session.protocol.start(session);
  const input = new InputBuffer();
  const seen: Transcript = { replies: [], logins: [], end: '', heldBytes: 0 };
  dialog.restart();
  let steps = 0;
  for (const piece of pieces) {
    input.append(piece);
    steps += piece.length + 1;
    for (;;) {
      const outcome = dialog.read(input);
      if (--steps < -1) throw new Error('the dialog does not advance');
      if (outcome.act === 'more') {
        seen.heldBytes = Math.max(seen.heldBytes, input.length);
        break;
      }
      if (outcome.act === 'login') {
        seen.logins.push(outcome.credentials);
        seen.replies.push(dialog.refusal('no', ''));
        dialog.restart();
        continue;
      }
      seen.replies.push(outcome.text);
      if (outcome.act === 'reply' && !outcome.quit) continue;
      seen.end = outcome.act === 'reply' ? 'quit' : outcome.act;
      return seen;
    }
  }
  return seen;
}
