/** Errors of mail configurations in nginx's words; compared with nginx where it has its mail module. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configErrors } from '../../support/config-errors.ts';

const { file, ours, theirs } = configErrors();
const MODULE = '/usr/lib/nginx/modules/ngx_mail_module.so';

const inMail = (text: string): string => `events {}\nmail {\n${text}\n}\n`;
const AUTH = 'auth_http 127.0.0.1:9;';
const inServer = (text: string): string => inMail(`${AUTH}\nserver {\nlisten 127.0.0.1:25093;\n${text}\n}`);
const inImap = (text: string): string => inServer(`protocol imap;\n${text}`);

/** [configuration, message, line; '' for none. `own`: the message of nginx 1.22 differs] */
const CASES: [text: string, message: string, line: number, own?: 'own'][] = [
  [inImap('imap_client_buffer 1x;'), '"imap_client_buffer" directive invalid value', 7],
  [inImap('timeout 1x;'), '"timeout" directive invalid value', 7],
  [inImap('max_errors x;'), '"max_errors" directive invalid number', 7],
  [inImap('imap_auth plain apop;'), 'invalid value "apop"', 7],
  [inImap('pop3_auth login;'), 'invalid value "login"', 7],
  [inImap('smtp_auth apop;'), 'invalid value "apop"', 7],
  [inImap('starttls maybe;'), 'invalid value "maybe"', 7],
  [inImap('ssl_verify_client maybe;'), 'invalid value "maybe"', 7],
  [inImap('proxy_protocol v3;'), 'invalid value "v3"', 7, 'own'],
  [inImap('xclient yes;'), 'invalid value "yes" in "xclient" directive, it must be "on" or "off"', 7],
  [inImap('auth_http_header x;'), 'invalid number of arguments in "auth_http_header" directive', 7],
  [inImap('resolver;'), 'invalid number of arguments in "resolver" directive', 7],
  [inImap('resolver 127.0.0.1 valid=x;'), 'invalid parameter: valid=x', 7],
  [inImap('resolver off;\nresolver_timeout 1s; server_name a; set_real_ip_from 10.0.0.0/8; proxy on;'), '', 0],
  [inImap('timeout 1s;\ntimeout 2s;'), '"timeout" directive is duplicate', 8],
  [inImap('auth_http 127.0.0.1;\nauth_http_header a b; auth_http_header c d; imap_capabilities A; imap_capabilities B;'), '', 0],
  [inServer('protocol nntp;'), 'unknown protocol "nntp"', 6],
  [inMail('protocol imap;'), '"protocol" directive is not allowed here', 3],
  [inMail('listen 127.0.0.1:1;'), '"listen" directive is not allowed here', 3],
  [inImap('server { }'), '"server" directive is not allowed here', 7],
  [inImap('ssl_stapling on;'), '"ssl_stapling" directive is not allowed here', 7],
  [inImap('proxy_pass 127.0.0.1:1;'), '"proxy_pass" directive is not allowed here', 7],
  [inImap('what ever;'), 'unknown directive "what"', 7],
  ['events {}\nhttp { starttls on; }\n', '"starttls" directive is not allowed here', 2],
  [inMail('auth_http 127.0.0.1:x;'), 'invalid port in auth_http "127.0.0.1:x"', 3],
  [inMail('auth_http https://127.0.0.1/;'), 'invalid port in auth_http "https://127.0.0.1/"', 3],
  [inMail('auth_http unix:;'), 'no path in the unix domain socket in auth_http "unix:"', 3],
  [inMail('auth_http http://127.0.0.1/path?x; auth_http_timeout 1s; auth_http_pass_client_cert on;'), '', 0],
  [inMail('auth_http unix:/tmp/socket:/path;'), '', 0],
  [inMail('server {\nprotocol imap;\n}'), `no "listen" is defined for server in ${file}:3`, 0],
  [inMail('server {\nlisten 127.0.0.1:25093; protocol imap;\n}'), `no "auth_http" is defined for server in ${file}:3`, 0],
  [inServer(''), `unknown mail protocol for server in ${file}:4`, 0],
  [inMail(`${AUTH} server { listen 127.0.0.1:143; } server { listen 127.0.0.1:995; } server { listen 127.0.0.1:587; }`), '', 0],
  [inImap('listen 127.0.0.1;'), 'no port in "127.0.0.1" of the "listen" directive', 7, 'own'],
  [inImap('listen 127.0.0.1:25094 default_server;'), 'invalid parameter "default_server"', 7, 'own'],
  [inImap('listen 127.0.0.1:25094 backlog=0;'), 'invalid backlog "backlog=0"', 7],
  [inImap('listen 127.0.0.1:25094 backlog=9 bind so_keepalive=30m::10 proxy_protocol;\nlisten [::1]:25094 ipv6only=off;'), '', 0],
  [inImap('listen 127.0.0.1:25093;'), 'duplicate "127.0.0.1:25093" address and port pair', 7],
  [
    inMail(`${AUTH} server { listen 25093; protocol imap; }\nserver { protocol pop3;\nlisten *:25093; }`),
    'duplicate "0.0.0.0:25093" address and port pair',
    5,
  ],
  [
    inMail(`${AUTH} server { protocol imap;\nlisten 127.0.0.1:25093 ssl; }`),
    `no "ssl_certificate" is defined for the "listen ... ssl" directive in ${file}:4`,
    0,
  ],
  [inImap('starttls on;'), `no "ssl_certificate" is defined for the "starttls" directive in ${file}:7`, 0],
  [inImap('starttls on;\nssl_certificate x.pem;'), `no "ssl_certificate_key" is defined for the "starttls" directive in ${file}:7`, 0],
  [
    `events {}\nstream { server { listen 127.0.0.1:25093; return x; } }\nmail { ${AUTH} server { listen 127.0.0.1:25093; protocol imap; } }\n`,
    'bind() to 127.0.0.1:25093 failed (98: Address already in use)',
    0,
    'own',
  ],
];

const placed = (message: string, line: number): string => (line === 0 ? message : `${message} in ${file}:${line}`);

describe('mail', () => {
  test.each(CASES)('%s', async (text, message, line) => {
    expect(await ours(text)).toBe(placed(message, line));
  });

  test.skipIf(!existsSync(MODULE)).each(CASES.filter(([, , , own]) => !own))('nginx: %s', (text, message, line) => {
    expect(theirs(text, `load_module ${MODULE};`)).toBe(placed(message, line));
  });
});
