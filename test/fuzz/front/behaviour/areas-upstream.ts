/** Generators of cases that involve back ends: proxying, other protocols, choice of peers, caches. */
import type { Rng } from '../../../support/rng.ts';
import { type Generator, req, some } from './areas-content.ts';

const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

const STATUSES = [
  '200 OK',
  '200 OK',
  '200 OK',
  '201 Created',
  '204 No Content',
  '206 Partial',
  '301 Moved',
  '302 Found',
  '304 Not Modified',
  '400 Bad',
  '401 Unauthorized',
  '403 Forbidden',
  '404 Not Found',
  '404',
  '416 Range',
  '429 Many',
  '500 Error',
  '502 Bad',
  '503 Unavailable',
  '504 Timeout',
  '299 Odd',
  '599 Own',
];
const FIELDS = [
  'Content-Type: text/html',
  'Content-Type: application/json',
  'Set-Cookie: a=b; Path=/one/; Domain=back.test',
  'Set-Cookie: c=d; domain=.back.test; path=/one; Secure',
  'Set-Cookie: plain',
  'Location: http://127.0.0.1:PORT_HTTP/one/x',
  'Location: /one/y',
  'Location: http://other.test/z',
  'Location: one/rel',
  'Refresh: 5; url=http://127.0.0.1:PORT_HTTP/one/r',
  'Refresh: 3;url="/one/q"',
  'X-Hide: 1',
  'X-Show: 2',
  'X-Powered-By: p',
  'Server: back',
  'Date: Mon, 06 May 2024 07:08:09 GMT',
  'ETag: "e1"',
  'Last-Modified: Mon, 06 May 2024 07:08:09 GMT',
  'Expires: Thu, 01 Jan 2099 00:00:00 GMT',
  'Cache-Control: max-age=5',
  'Cache-Control: no-cache',
  'Vary: X-Y',
  'X-Accel-Redirect: /internal/i?a=b',
  'X-Accel-Redirect: @named',
  'X-Accel-Expires: 0',
  'X-Accel-Limit-Rate: 1000000',
  'X-Accel-Buffering: no',
  'X-Accel-Charset: koi8-r',
  'X-Accel-Charset: off',
  'Accept-Ranges: bytes',
  'Content-Language: de',
  'Content-Disposition: attachment',
  'WWW-Authenticate: Basic realm=x',
  'Connection: close',
  'Keep-Alive: 5',
  'Transfer-Encoding: identity',
  'Link: </a>; rel=next',
  'Content-Encoding: gzip',
  'X-Empty:',
  'X-Sp:   v  ',
  'x-lower: 1',
  'X-Dup: 1',
  'X-Dup: 2',
  'Alt-Svc: h3',
  'Trailer: X',
  'Status: 203 Own',
  'X-Pad: z',
  'Upgrade: ws',
  'Proxy-Authenticate: x',
].filter((text) => !text.startsWith('Transfer-Encoding'));

/** Newer versions of nginx join repeats or refuse them. */
const oncePerName = (fields: string[]): string[] =>
  fields.filter(
    (text, n) => /^(?:Set-Cookie|X-Dup)/.test(text) || fields.findIndex((other) => other.split(':')[0] === text.split(':')[0]) === n,
  );

/** Responses of an HTTP back end, most of them valid. */
export function httpAnswers(rng: Rng, count: number): string[] {
  return many(count, () => {
    const odd = rng.int(0, 24);
    if (odd === 0) return 'CLOSE';
    if (odd === 2) return 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort';
    if (odd === 3) return 'HTTP/1.1 200 OK\r\nContent-Le';
    if (odd === 4) return `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(5000)}\r\n\r\nx`;
    if (odd === 5) return 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    if (odd === 6) return 'HTTP/1.1 200 OK\r\nNo colon\r\nOk: 1\r\n\r\nb';
    if (odd === 7) return 'HTTP/1.0 200\r\n\r\nzero';
    if (odd === 10) return 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef';
    const status = rng.pick(STATUSES);
    const fields = oncePerName(rng.shuffle(some(rng, FIELDS, 0.1)));
    const body = rng.pick(['{SEEN}', 'small', '', 'x'.repeat(9000), 'a\r\nb']);
    const framing = rng.int(0, 2);
    if (framing === 0 && !body.includes('{'))
      return `HTTP/1.1 ${status}\r\n${fields.map((f) => `${f}\r\n`).join('')}Content-Length: ${body.length}\r\n\r\n${/^(204|304)/.test(status) ? '' : body}`;
    if (framing === 1 && !body.includes('{'))
      return `HTTP/1.1 ${status}\r\n${fields.map((f) => `${f}\r\n`).join('')}Transfer-Encoding: chunked\r\n\r\n${body ? `${body.length.toString(16)}\r\n${body}\r\n` : ''}0\r\n\r\n`;
    return `HTTP/1.1 ${status}\r\n${fields.map((f) => `${f}\r\n`).join('')}\r\n${body}`;
  });
}

const HEADERS_IN = [
  'X-Y: 1',
  'X-Y: 2',
  'Cookie: a=b',
  'Accept-Encoding: gzip',
  'Range: bytes=0-1',
  'If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT',
  'If-None-Match: "e1"',
  'Authorization: Basic eDp5',
  'User-Agent: test',
  'Referer: http://r/',
  'X-Forwarded-For: 9.9.9.9',
  'TE: trailers',
  'Keep-Alive: 3',
  'Upgrade: websocket',
  'Expect: 100-continue',
  'X_Under: 1',
  'Content-Type: a/b',
  'Accept: */*',
  'Proxy-Connection: x',
  'Empty:',
  'X-Lower: q',
  'Via: v',
];

const proxied = (rng: Rng, uris: string[], answers: number): string[] =>
  many(14, () =>
    req(
      rng,
      rng.pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PURGE']),
      rng.pick(uris),
      [`X-Answer: ${rng.int(0, answers - 1)}`, ...some(rng, HEADERS_IN, 0.12)],
      rng.bool(0.25) ? 'request body' : undefined,
    ),
  );

const SHARED = (prefix: string): string[] => [
  `${prefix}_intercept_errors on;`,
  `${prefix}_buffering off;`,
  `${prefix}_request_buffering off;`,
  `${prefix}_hide_header X-Show;`,
  `${prefix}_pass_header X-Hide;`,
  `${prefix}_pass_header Server;`,
  `${prefix}_pass_header Date;`,
  `${prefix}_ignore_headers X-Accel-Redirect;`,
  `${prefix}_ignore_headers X-Accel-Expires Expires Cache-Control Set-Cookie Vary;`,
  ...(prefix === 'proxy' ? ['proxy_pass_request_body off;'] : []),
  `${prefix}_pass_request_headers off;`,
  `${prefix}_force_ranges on;`,
  `${prefix}_buffer_size 1k; ${prefix}_buffers 2 1k; ${prefix}_busy_buffers_size 1k;`,
  `${prefix}_max_temp_file_size 0;`,
  `${prefix}_next_upstream off;`,
  `${prefix}_limit_rate 1m;`,
  `${prefix}_ignore_client_abort on;`,
];
const AROUND = `error_page 404 502 =200 /err; error_page 500 503 @err; location /err { return 200 "err $upstream_status"; } location @err { return 200 "named $status"; } location /internal/ { internal; return 200 "int $uri $args $request_method"; } location @named { return 200 "named2 $uri"; }`;

const proxy: Generator = (rng) => {
  const pass = rng.pick([
    'http://127.0.0.1:PORT_HTTP',
    'http://127.0.0.1:PORT_HTTP/',
    'http://127.0.0.1:PORT_HTTP/two/',
    'http://127.0.0.1:PORT_HTTP/two',
    'http://127.0.0.1:PORT_HTTP$request_uri',
    'http://${arg_none}127.0.0.1:PORT_HTTP',
    'http://127.0.0.1:PORT_HTTP/v/$uri?q=$arg_q',
    'http://127.0.0.1:PORT_HTTP/x?y=1',
    'http://u_CASE/one/',
    'http://u_CASE',
  ]);
  return {
    http: 'upstream u_CASE { server 127.0.0.1:PORT_HTTP; }',
    server: `${rng.bool(0.5) ? AROUND : ''} location /one/ { proxy_pass ${pass}; ${rng.pick(['', 'proxy_http_version 1.1;', 'proxy_http_version 1.1; proxy_set_header Connection close;'])}
      ${some(
        rng,
        [
          ...SHARED('proxy'),
          'proxy_set_header X-Y $arg_q;',
          'proxy_set_header Host $host;',
          'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
          'proxy_set_header Accept-Encoding "";',
          'proxy_set_header X-New "a $uri";',
          'proxy_method POST;',
          'proxy_method $arg_m;',
          'proxy_set_body "b $uri $arg_q";',
          'proxy_redirect off;',
          'proxy_redirect default;',
          'proxy_redirect http://127.0.0.1:PORT_HTTP/one/ /three/;',
          'proxy_redirect ~^/one/(.*) http://red.test/$1;',
          'proxy_redirect / /pre/;',
          'proxy_redirect http://other.test/ $scheme://$host:$server_port/o/;',
          'proxy_cookie_path /one/ /;',
          'proxy_cookie_path ~*^/ONE(.*) /re$1;',
          'proxy_cookie_domain back.test front.test;',
          'proxy_cookie_domain ~\\.?back\\.(test) $1.x;',
          'proxy_cookie_domain off;',
          'proxy_cookie_flags a secure samesite=strict;',
          'proxy_cookie_flags ~. httponly nosecure;',
          'proxy_cookie_flags c nosecure;',
          'add_header X-Up "$upstream_status $upstream_http_x_show $upstream_cookie_a $proxy_host $proxy_port" always;',
          'gzip on; gzip_min_length 1; gzip_types *;',
          'charset utf-8;',
          'expires 1h;',
          'sub_filter small LARGE;',
          'chunked_transfer_encoding off;',
          'etag off;',
          'ssi on;',
          'add_after_body /internal/x;',
          'rewrite ^/one/rw(.*) /rewritten$1 break;',
          'limit_except GET POST { deny all; }',
          'default_type x/default;',
        ],
        0.12,
      )
        .filter((t) => !(t.startsWith('proxy_redirect') && pass.includes('$') && t.includes('default')))
        .filter(
          (text, n, all) =>
            all.findIndex(
              (o) =>
                o.split(' ')[0] === text.split(' ')[0] &&
                !/^(proxy_set_header|proxy_redirect|proxy_cookie|proxy_hide|proxy_pass_header)/.test(o),
            ) === n || /^(proxy_set_header|proxy_redirect|proxy_cookie|proxy_hide|proxy_pass_header)/.test(text),
        )
        .join('\n')} }`,
    answers: httpAnswers(rng, 12),
    requests: proxied(
      rng,
      [
        '/one/',
        '/one/x?q=1',
        '/one/a%20b',
        '/one/%2F',
        '/one//d',
        '/one/../one/e',
        '/one/x?',
        '/one/rw/1?q=2',
        '/one/é',
        '/one/x?m=PUT&q=%20',
        '/one',
        '/one/x%3Fy',
        '/one/\'"',
        '/one/+%2B',
      ],
      12,
    ),
  };
};

const cgi =
  (protocol: 'fastcgi' | 'scgi' | 'uwsgi'): Generator =>
  (rng) => ({
    http: `upstream u_CASE { server 127.0.0.1:PORT_${protocol.toUpperCase()}; }`,
    server: `${rng.bool(0.5) ? AROUND : ''} location / { ${protocol}_pass ${rng.pick([`127.0.0.1:PORT_${protocol.toUpperCase()}`, 'u_CASE', `\${arg_none}127.0.0.1:PORT_${protocol.toUpperCase()}`])};
    ${some(
      rng,
      [
        'REQUEST_METHOD $request_method',
        'QUERY_STRING $query_string',
        'EMPTY ""',
        'COND $arg_q if_not_empty',
        'HTTP_HOST mine',
        'HTTP_X_Y over',
        'SCRIPT_NAME $fastcgi_script_name',
        'REQUEST_URI $request_uri',
        'SERVER_NAME $server_name',
        'LONG ' + 'l'.repeat(200),
      ],
      0.5,
    )
      .filter((t) => protocol === 'fastcgi' || !t.includes('fastcgi'))
      .map((text) => `${protocol}_param ${text};`)
      .join(' ')} ${protocol}_param CONTENT_LENGTH $content_length; ${protocol}_param HTTP_X_ANSWER $http_x_answer;
    ${some(rng, [...SHARED(protocol), ...(protocol === 'fastcgi' ? ['fastcgi_index idx.php;', 'fastcgi_split_path_info ^(.+?\\.php)(/.*)$; fastcgi_param PATH_INFO $fastcgi_path_info; fastcgi_param SN $fastcgi_script_name;', 'fastcgi_keep_conn on;', 'fastcgi_catch_stderr Oops;'] : []), ...(protocol === 'uwsgi' ? ['uwsgi_modifier1 5;', 'uwsgi_modifier2 6;'] : []), 'gzip on; gzip_min_length 1; gzip_types *;', 'expires 1h;', 'add_header X-Up "$upstream_status $upstream_http_x_show" always;'], 0.15).join('\n')} }`,
    answers: many(12, () => {
      const odd = rng.int(0, 16);
      if (odd === 0) return 'CLOSE';
      if (odd === 1) return 'garbage';
      if (odd === 2) return `${protocol === 'fastcgi' ? '' : 'HTTP/1.1 404 Nope\r\n'}Content-Type: a/b\r\n\r\nx`;
      if (odd === 3) return 'Location: /int\r\n\r\n';
      if (odd === 4) return 'Status: abc\r\n\r\nx';
      if (odd === 5) return '\r\nno head';
      if (odd === 6) return 'Content-Type: a/b\n\nlf only';
      if (odd === 7) return 'Content-Length: 10\r\n\r\nshort';
      const statuses = ['Status: 404 Not Here', 'Status: 302', 'Status: 200', 'Status: 500 Err'];
      const fields = oncePerName(rng.shuffle(some(rng, [...FIELDS.filter((f) => !f.startsWith('Status')), ...statuses], 0.1)));
      return `${fields.map((f) => `${f}\r\n`).join('')}${fields.length === 0 ? 'X-A: 1\r\n' : ''}\r\n${rng.pick(['{SEEN}', 'small', '', 'y'.repeat(70000)])}`;
    }),
    requests: proxied(rng, ['/', '/a.php/info?q=1', '/dir/', '/x%20y?q', '/a.php', '/index.php?x=%20'], 12),
  });

const memcached: Generator = (rng) => ({
  server: `${AROUND} location / { set $memcached_key "$arg_k $http_x_answer"; memcached_pass 127.0.0.1:PORT_MEMCACHED; ${some(rng, ['memcached_gzip_flag 2;', 'default_type text/html;', 'memcached_buffer_size 1k;', 'memcached_next_upstream not_found;', 'gunzip on;', 'gzip on; gzip_min_length 1; gzip_types *;', 'proxy_intercept_errors on;', 'ssi on;', 'charset utf-8;'], 0.3).join(' ')} } location /nokey { memcached_pass 127.0.0.1:PORT_MEMCACHED; }`,
  answers: [
    'VALUE x 0 5\r\nhello\r\nEND\r\n',
    'END\r\n',
    'VALUE x 2 5\r\nhello\r\nEND\r\n',
    'ERROR\r\n',
    'VALUE x 0 0\r\n\r\nEND\r\n',
    'VALUE x 0 5\r\nhel',
    'VALUE x 0 abc\r\n',
    'CLOSE',
    'VALUE other key 0 1\r\na\r\nEND\r\n',
    'SERVER_ERROR x\r\n',
    'VALUE x 0 3\r\nabcXX\r\nEND\r\n',
    'VALUE',
  ].map((text) => text),
  requests: many(12, () =>
    req(rng, rng.pick(['GET', 'GET', 'GET', 'HEAD', 'POST']), rng.pick(['/?k=a', '/a.html?k=b%20c', '/x.txt?k=%0d%0a', '/nokey', '/?k=']), [
      `X-Answer: ${rng.int(0, 11)}`,
      ...some(rng, ['Accept-Encoding: gzip', 'Range: bytes=0-1'], 0.2),
    ]),
  ),
});

const peers: Generator = (rng) => {
  const server = (): string =>
    `server 127.0.0.1:${rng.pick(['PORT_HTTP', 'PORT_HTTP', 'PORT_HTTP2', 'PORT_ABORT', '1'])} ${some(
      rng,
      ['weight=2', 'weight=5', 'max_fails=0', 'max_fails=2', 'fail_timeout=1s', 'down'],
      0.15,
    )
      .filter((text, n, all) => all.findIndex((o) => o.split('=')[0] === text.split('=')[0]) === n)
      .join(' ')}`;
  const method = rng.pick(['', '', 'least_conn;', 'ip_hash;', 'hash $arg_h;', 'hash $arg_h consistent;']);
  const backup =
    method === '' || method === 'least_conn;' ? some(rng, ['server 127.0.0.1:PORT_HTTP2 backup;', 'server 127.0.0.1:1 backup;'], 0.3) : [];
  return {
    http: `upstream u_CASE { ${method} ${many(rng.int(1, 4), () => `${server()};`).join(' ')} ${backup.join(' ')} ${rng.pick(['', 'keepalive 2;', 'zone z_CASE 64k;'])} }`,
    server: `${rng.bool(0.4) ? AROUND : ''} location / { proxy_pass http://u_CASE; ${some(
      rng,
      [
        'proxy_next_upstream error timeout http_500 http_503 http_404;',
        'proxy_next_upstream error non_idempotent;',
        'proxy_next_upstream off;',
        'proxy_next_upstream invalid_header http_403 http_429;',
        'proxy_next_upstream http_502 http_504;',
        'proxy_next_upstream_tries 2;',
        'proxy_next_upstream_timeout 1s;',
        'proxy_intercept_errors on;',
        'proxy_http_version 1.1; proxy_set_header Connection "";',
        'proxy_request_buffering off;',
      ],
      0.25,
    )
      .filter((text, n, all) => all.findIndex((o) => o.split(' ')[0] === text.split(' ')[0]) === n)
      .join(' ')} add_header X-Up "$upstream_addr|$upstream_status" always; }`,
    answers: [
      'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{NAME}',
      'HTTP/1.1 500 E\r\nContent-Length: 1\r\n\r\ne',
      'HTTP/1.1 503 E\r\n\r\n{NAME}',
      'HTTP/1.1 404 E\r\n\r\nnf',
      'HTTP/1.1 403 E\r\n\r\n',
      'CLOSE',
      'HTTP/1.1 200 OK\r\nX: y',
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nokay',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nokay',
      'HTTP/1.1 502 E\r\n\r\n',
      'HTTP/1.1 429 E\r\n\r\n',
      'HTTP/1.1 504 E\r\n\r\n',
    ],
    requests: many(14, () =>
      req(
        rng,
        rng.pick(['GET', 'GET', 'GET', 'POST', 'HEAD', 'PUT', 'LOCK']),
        `/?h=${rng.pick(['a', 'b', 'c', 'd', ''])}`,
        [`X-Answer: ${rng.bool(0.5) ? 0 : rng.int(0, 11)}`],
        rng.bool(0.2) ? 'pb' : undefined,
      ),
    ),
  };
};

const cache =
  (prefix: 'proxy' | 'fastcgi' | 'scgi' | 'uwsgi'): Generator =>
  (rng) => {
    const port = prefix === 'proxy' ? 'PORT_HTTP' : `PORT_${prefix.toUpperCase()}`;
    const head = (status: string): string => (prefix === 'proxy' ? `HTTP/1.1 ${status}\r\n` : `Status: ${status}\r\n`);
    const control = [
      'Cache-Control: max-age=100',
      'Cache-Control: max-age=0',
      'Cache-Control: no-store',
      'Cache-Control: private',
      'Cache-Control: s-maxage=100, max-age=0',
      'Cache-Control: max-age=0, stale-while-revalidate=100',
      'Cache-Control: max-age=0, stale-if-error=100',
      'Expires: Thu, 01 Jan 2099 00:00:00 GMT',
      'Expires: Thu, 01 Jan 1970 00:00:01 GMT',
      'Expires: 0',
      'X-Accel-Expires: 100',
      'X-Accel-Expires: 0',
      'X-Accel-Expires: @2147483000',
      'Set-Cookie: a=b',
      'Vary: X-Y',
      'Vary: *',
      'Vary: X-Y, Accept-Encoding',
      'ETag: "e1"',
      'Last-Modified: Mon, 06 May 2024 07:08:09 GMT',
      'Content-Type: text/html',
      'Pragma: no-cache',
      'Accept-Ranges: bytes',
      'Cache-Control: Max-Age=100',
      'Cache-Control: max-age=abc',
      'Cache-Control: public, max-age="5"',
    ];
    return {
      http: `${prefix}_cache_path FOLDER/cache_CASE ${rng.pick(['levels=1:2', '', 'levels=2'])} keys_zone=z_CASE:1m ${rng.pick(['', 'inactive=1h', 'use_temp_path=off', 'max_size=10m'])};`,
      server: `location / { ${prefix}_pass ${prefix === 'proxy' ? 'http://' : ''}127.0.0.1:${port}; ${prefix}_cache z_CASE; ${prefix}_cache_key ${rng.pick(['$uri', '$uri$is_args$args', '"$request_method$request_uri"'])}; ${prefix === 'proxy' ? '' : `${prefix}_param CONTENT_LENGTH $content_length; ${prefix}_param HTTP_X_ANSWER $http_x_answer; ${prefix}_param REQUEST_METHOD $request_method;`}
      ${rng.pick(['', `${prefix}_cache_valid 1h;`, `${prefix}_cache_valid any 1m;`, `${prefix}_cache_valid 200 302 10m; ${prefix}_cache_valid 404 1m;`, `${prefix}_cache_valid 0;`, `${prefix}_cache_valid 200 1h; ${prefix}_cache_valid any 0;`])}
      ${some(
        rng,
        [
          `${prefix}_cache_bypass $arg_nc $http_x_nc;`,
          `${prefix}_no_cache $arg_ns;`,
          `${prefix}_cache_min_uses 2;`,
          `${prefix}_cache_use_stale error timeout http_500 http_404 http_503 invalid_header;`,
          `${prefix}_cache_use_stale updating error;`,
          `${prefix}_cache_revalidate on;`,
          `${prefix}_cache_background_update on; ${prefix}_cache_use_stale updating;`,
          `${prefix}_cache_lock on;`,
          `${prefix}_cache_methods GET HEAD POST;`,
          `${prefix}_ignore_headers Cache-Control Expires;`,
          `${prefix}_ignore_headers Set-Cookie Vary;`,
          `${prefix}_ignore_headers X-Accel-Expires;`,
          `${prefix}_intercept_errors on; error_page 404 500 /err;`,
          `${prefix}_cache_max_range_offset 2;`,
          `${prefix}_force_ranges on;`,
          `${prefix}_hide_header Cache-Control;`,
          'gzip on; gzip_min_length 1; gzip_types *;',
          `${prefix}_buffering off;`,
          'slice 4;',
          'expires 5m;',
        ],
        0.15,
      )
        .filter((text, n, all) => all.findIndex((o) => o.split(' ')[0] === text.split(' ')[0]) === n)
        .filter((text, _n, all) => !(text.includes('background_update') && all.some((o) => o.startsWith(`${prefix}_cache_use_stale`))))
        .join('\n')} add_header X-Cache "$upstream_cache_status|$upstream_status" always; } location /err { return 200 err; }`,
      answers: many(
        8,
        () =>
          `${head(rng.pick(['200 OK', '200 OK', '200 OK', '200 OK', '404 N', '500 E', '301 M', '302 F', '503 U', '304 Not Modified', '206 P']))}${oncePerName(
            rng.shuffle(some(rng, control, 0.09)),
          )
            .map((f) => `${f}\r\n`)
            .join('')}${prefix === 'proxy' ? 'Connection: close\r\n' : ''}\r\nbody ${rng.word()}`,
      ),
      requests: many(24, () =>
        req(
          rng,
          rng.pick(['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST']),
          rng.pick(['/a', '/a', '/b', '/c?x=1', '/a?nc=1', '/a?ns=1', '/b?nc=0', '/c']),
          [
            `X-Answer: ${rng.int(0, 7)}`,
            ...some(
              rng,
              [
                'X-NC: 1',
                'X-Y: 1',
                'X-Y: 2',
                'Accept-Encoding: gzip',
                'Range: bytes=1-3',
                'Range: bytes=5-',
                'If-None-Match: "e1"',
                'If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT',
                'If-Match: "e1"',
                'Authorization: x',
                'Cache-Control: no-cache',
                'Cookie: a=1',
              ],
              0.07,
            ),
          ],
        ),
      ),
    };
  };

export const UPSTREAM_AREAS: Record<string, Generator> = {
  proxy,
  fastcgi: cgi('fastcgi'),
  scgi: cgi('scgi'),
  uwsgi: cgi('uwsgi'),
  memcached,
  peers,
  cache: cache('proxy'),
  fastcgiCache: cache('fastcgi'),
  scgiCache: cache('scgi'),
  uwsgiCache: cache('uwsgi'),
};
