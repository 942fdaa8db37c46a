/** Errors of configurations in nginx's words; compared with nginx where it is installed. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configErrors, NGINX } from '../../support/config-errors.ts';

const { folder, file, ours, theirs } = configErrors();

/** temporary folders that an ordinary user may make */
const TEMPS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((n) => `${n}_temp_path ${folder}/${n};`).join(' ');
const inHttp = (text: string) => `events {}\nhttp { ${TEMPS} access_log off;\n${text}\nserver { listen 127.0.0.1:25090; }\n}\n`;
const inServer = (text: string) => `events {}\nhttp { ${TEMPS} access_log off;\nserver { listen 127.0.0.1:25090;\n${text}\n}\n}\n`;
const inLocation = (text: string) => inServer(`location / {\n${text}\n}`);
const inMain = (text: string) => `${text}\nevents {}\n`;
const inEvents = (text: string) => `events {\n${text}\n}\n`;

/** [configuration, message with its line; '' for none] */
const CASES: [name: string, text: string, message: string, line: number][] = [
  ['a size', inLocation('client_body_buffer_size 1x;'), '"client_body_buffer_size" directive invalid value', 5],
  ['giga where memory is meant', inLocation('client_body_buffer_size 2g;'), '"client_body_buffer_size" directive invalid value', 5],
  ['giga where files are meant', inLocation('client_max_body_size 2g;'), '', 0],
  ['a time', inServer('send_timeout 5m5h;'), '"send_timeout" directive invalid value', 4],
  ['months are for seconds', inServer('send_timeout 1y;'), '"send_timeout" directive invalid value', 4],
  ['months where seconds are meant', inServer('open_file_cache_valid 1y;'), '', 0],
  ['a format comes first', inServer('access_log x.log buffer=4k;'), 'unknown log format "buffer=4k"', 4],
  ['a number', inServer('keepalive_requests many;'), '"keepalive_requests" directive invalid number', 4],
  ['a flag', inServer('sendfile yes;'), 'invalid value "yes" in "sendfile" directive, it must be "on" or "off"', 4],
  ['a word', inServer('satisfy some;'), 'invalid value "some"', 4],
  ['buffers', inServer('gzip_buffers 0 4k;'), '"gzip_buffers" directive invalid value', 4],
  ['arguments', inServer('root /a /b;'), 'invalid number of arguments in "root" directive', 4],
  ['repeated', inServer('root /a;\nroot /b;'), '"root" directive is duplicate', 5],
  [
    'lists may be repeated',
    inServer('index a;\nindex b;\ngzip_types a/b;\ngzip_types c/d;\nssl_protocols TLSv1.2;\nssl_protocols TLSv1.3;'),
    '',
    0,
  ],
  ['unknown', inServer('nosuch on;'), 'unknown directive "nosuch"', 4],
  ['known elsewhere', inServer('worker_processes 1;'), '"worker_processes" directive is not allowed here', 4],
  ['known in a module that is not loaded', inMain('ssi on;'), '"ssi" directive is not allowed here', 1],
  ['a block', inLocation('sendfile on {}'), 'directive "sendfile" is not terminated by ";"', 5],
  ['no block', inHttp('map $uri $x;'), 'directive "map" has no opening "{"', 3],
  ['a pool', inServer('connection_pool_size 100;'), 'the pool size must be no less than 112', 4],
  ['a status', inLocation('limit_req_status 200;'), 'value must be between 400 and 599', 5],
  ['a file cache', inServer('open_file_cache maximum=3;'), 'invalid "open_file_cache" parameter "maximum=3"', 4],
  ['an address', inLocation('proxy_bind somewhere;'), 'invalid address "somewhere"', 5],
  ['no port', inLocation('fastcgi_pass 127.0.0.1;'), 'no port in upstream "127.0.0.1"', 5],
  ['a bad port', inLocation('proxy_pass http://127.0.0.1:0;'), 'invalid port in upstream "127.0.0.1:0"', 5],
  ['an expression', inLocation('rewrite ( /x;'), 'pcre2_compile() failed: missing closing parenthesis in "("', 5],
  ['a variable', inHttp('map $uri x { }'), 'invalid variable name "x"', 3],
  ['a condition', inServer('if (1) { }'), 'invalid condition "1"', 4],
  ['a method', inLocation('limit_except foo { }'), 'invalid method "foo"', 5],
  ['a name', inServer('server_name *a.b;'), 'server name "*a.b" is invalid', 4],
  [
    'buffers of one log',
    inLocation('access_log a combined buffer=1k; access_log a; access_log a combined buffer=2k;'),
    'access_log "a" already defined with conflicting parameters',
    5,
  ],
  ['referers', inLocation('valid_referers a.b a.b;'), 'conflicting parameter "a.b"', 5],
  ['keepalive twice', inHttp('upstream u { server 127.0.0.1:1;\nkeepalive 1;\nkeepalive 2; }'), '"keepalive" directive is duplicate', 5],
  ['methods of balancing', inHttp('upstream u { ip_hash;\nleast_conn; server 127.0.0.1:1; }'), '', 0],
  ['main: flag', inMain('pcre_jit maybe;'), 'invalid value "maybe" in "pcre_jit" directive, it must be "on" or "off"', 1],
  ['main: workers', inMain('worker_processes many;'), '"worker_processes" directive invalid value', 1],
  ['main: pool', inMain('thread_pool p max_queue=1;'), '"thread_pool" must have "threads" parameter', 1],
  ['events: connections', inEvents('worker_connections x;'), 'invalid number "x"', 2],
  ['events: delay', inEvents('accept_mutex_delay x;'), '"accept_mutex_delay" directive invalid value', 2],
];

describe('errors of the configuration', () => {
  const want = (message: string, line: number) => (message === '' ? '' : `${message} in ${file}:${line}`);
  for (const [name, text, message, line] of CASES) {
    test(name, async () => expect(await ours(text)).toBe(want(message, line)));
  }

  test('sizes that contradict each other are reported at the end of the block', async () => {
    const text = inLocation('proxy_busy_buffers_size 1k;');
    expect(await ours(text)).toBe(
      want(
        '"proxy_busy_buffers_size" must be equal to or greater than the maximum of the value of "proxy_buffer_size" and one of the "proxy_buffers"',
        8,
      ),
    );
  });

  test('an undefined cache zone is reported', async () => {
    expect(await ours(inLocation('proxy_cache nowhere;'))).toBe(want('"proxy_cache" zone "nowhere" is unknown', 5));
    const defined = inHttp(`proxy_cache_path ${folder}/cache keys_zone=here:1m; proxy_cache here;`);
    expect(await ours(defined)).toBe('');
  });

  test.skipIf(!existsSync(NGINX))('nginx reports the same errors', () => {
    for (const [name, text, message, line] of CASES) {
      // the wording depends on the versions of PCRE and of nginx
      if (['an expression', 'a name'].includes(name)) continue;
      expect(`${name}: ${theirs(text)}`).toBe(`${name}: ${want(message, line)}`);
    }
  });
});
