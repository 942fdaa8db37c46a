/**
 * Real mail servers for tests: Debian's dovecot (IMAP, POP3, and logins for postfix) and postfix, each below a folder of its own, on loopback ports.
 * postfix delivers to the mailboxes that dovecot serves. Both need root, because they change users.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.ts';

const NOBODY = 65534;
const PROGRAMS = ['/usr/sbin/dovecot', '/usr/lib/dovecot/pop3', '/usr/lib/postfix/sbin/master', '/usr/sbin/postfix'];
const CLIENTS = ['/usr/bin/swaks', '/usr/bin/curl', '/usr/bin/openssl'];

/** Whether the servers and the clients are here, and may be started. */
export const mailProgramsExist = process.getuid?.() === 0 && [...PROGRAMS, ...CLIENTS].every((file) => existsSync(file));

/** Users of the servers and their passwords. */
export const MAIL_USERS: Record<string, string> = { alice: 'open sesame', bob: 'p"a\\ss' };
export const MAIL_DOMAIN = 'example.test';

const SERVICES = ['imap', 'imapProxied', 'pop3', 'pop3Proxied', 'smtp', 'smtpProxied', 'smtpLogin', 'sasl'] as const;
export type MailService = (typeof SERVICES)[number];

export class MailPrograms {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'gannet-mail-programs-'));
  readonly port = {} as Record<MailService, number>;
  readonly #children: ChildProcess[] = [];

  async start(): Promise<void> {
    const { folder } = this;
    for (const service of SERVICES) this.port[service] = await freePort();
    chmodSync(folder, 0o755);
    mkdirSync(path.join(folder, 'mail'));
    chownSync(path.join(folder, 'mail'), NOBODY, NOBODY);
    this.#writeDovecot();
    this.#writePostfix();
    this.#run('/usr/sbin/dovecot', ['-F', '-c', path.join(folder, 'dovecot.conf')]);
    // `start-fg` makes the folders of the queue before it becomes the master.
    this.#run('/usr/sbin/postfix', ['-c', path.join(folder, 'postfix'), 'start-fg']);
    for (const service of SERVICES) await this.#listens(this.port[service]);
  }

  /** What dovecot or postfix has logged so far. */
  log(program: 'dovecot' | 'postfix'): string {
    return readFileSync(path.join(this.folder, `${program}.log`), 'utf8');
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      // The command `postfix` is a shell, which waits for the master and does not pass signals on.
      const master = path.join(this.folder, 'queue/pid/master.pid');
      if (child.spawnfile.endsWith('postfix') && existsSync(master)) process.kill(Number(readFileSync(master, 'utf8')), 'SIGTERM');
      else child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  #run(command: string, args: string[]): void {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (data) => writeFileSync(path.join(this.folder, 'stderr.log'), data, { flag: 'a' }));
    this.#children.push(child);
  }

  /** Waits until a connection to the port succeeds. */
  async #listens(port: number): Promise<void> {
    for (;;) {
      const ended = this.#children.find(({ exitCode }) => exitCode !== null);
      if (ended) throw new Error(`${ended.spawnfile} ended: ${readFileSync(path.join(this.folder, 'stderr.log'), 'utf8')}`);
      const open = await new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.destroy());
        socket.once('error', () => resolve(false)).once('close', (failed) => resolve(!failed));
      });
      if (open) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #writeDovecot(): void {
    const { folder, port } = this;
    const users = Object.entries(MAIL_USERS).map(([user, password]) => `${user}:{PLAIN}${password}::::::\n`);
    writeFileSync(path.join(folder, 'users'), users.join(''));
    chmodSync(path.join(folder, 'users'), 0o644);
    const listener = (name: string, service: MailService, rest = ''): string =>
      `inet_listener ${name} {\n address = 127.0.0.1\n port = ${port[service]}\n ${rest}\n }\n`;
    writeFileSync(
      path.join(folder, 'dovecot.conf'),
      `protocols = imap pop3
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/dovecot.log
mail_location = maildir:${folder}/mail/%u
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_verbose = yes
# A refused login is answered at once, and does not delay the next one.
auth_failure_delay = 0
service anvil {
 unix_listener anvil-auth-penalty {
 mode = 0
 }
}
haproxy_trusted_networks = 127.0.0.1
passdb {
 driver = passwd-file
 args = username_format=%n ${folder}/users
}
userdb {
 driver = static
 args = uid=${NOBODY} gid=${NOBODY} home=${folder}/mail/%u
}
service imap-login {
 ${listener('imap', 'imap')} ${listener('imap-proxied', 'imapProxied', 'haproxy = yes')} inet_listener imaps {
 port = 0
 }
}
service pop3-login {
 ${listener('pop3', 'pop3')} ${listener('pop3-proxied', 'pop3Proxied', 'haproxy = yes')} inet_listener pop3s {
 port = 0
 }
}
service auth {
 ${listener('sasl', 'sasl')}
}
`,
    );
  }

  #writePostfix(): void {
    const { folder, port } = this;
    const config = path.join(folder, 'postfix');
    for (const name of ['postfix', 'queue', 'data']) mkdirSync(path.join(folder, name));
    execFileSync('chown', ['postfix', path.join(folder, 'data')]);
    writeFileSync(
      path.join(config, 'main.cf'),
      `compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/postfix.log
maillog_file_prefixes = ${folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = back.${MAIL_DOMAIN}
mydestination =
mynetworks =
local_recipient_maps =
alias_maps =
alias_database =
virtual_mailbox_domains = ${MAIL_DOMAIN}
virtual_mailbox_base = ${folder}/mail
virtual_mailbox_maps = inline:{ ${Object.keys(MAIL_USERS)
        .map((user) => `{ ${user}@${MAIL_DOMAIN} = ${user}/ }`)
        .join(' ')} }
virtual_uid_maps = static:${NOBODY}
virtual_gid_maps = static:${NOBODY}
virtual_minimum_uid = 1
smtpd_authorized_xclient_hosts = 127.0.0.1
smtpd_relay_restrictions = reject_unauth_destination
smtpd_client_connection_count_limit = 0
smtpd_peername_lookup = no
`,
    );
    const smtpd = (service: MailService, ...options: string[]): string =>
      [`127.0.0.1:${port[service]} inet n - n - - smtpd`, ...options.map((option) => ` -o ${option}`)].join('\n');
    const login = [
      'smtpd_sasl_auth_enable=yes',
      'smtpd_sasl_type=dovecot',
      `smtpd_sasl_path=inet:127.0.0.1:${port.sasl}`,
      'smtpd_authorized_xclient_hosts=',
      'smtpd_recipient_restrictions=permit_sasl_authenticated,reject',
    ];
    writeFileSync(
      path.join(config, 'master.cf'),
      `${smtpd('smtp')}
${smtpd('smtpProxied', 'smtpd_upstream_proxy_protocol=haproxy')}
${smtpd('smtpLogin', ...login)}
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
proxymap unix - - n - - proxymap
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`,
    );
  }
}
