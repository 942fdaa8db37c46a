/** Generators of cases that the front answers itself: files, rewriting, access, filters. */
import { createHash } from 'node:crypto';
import type { Rng } from '../../../support/rng.ts';
import type { Case, Site } from './compare.ts';

export type Generator = (rng: Rng) => Omit<Case, 'area'>;

const TEXT = 'The quick brown fox <b>jumps</b> over the lazy dog. '.repeat(40);

export const SITE: Site = {
  folders: ['dir', 'dir/sub', 'empty', 'put', 'sp ace'],
  files: {
    'index.html': '<html><head></head>root index</html>',
    'dir/index.html': 'dir index',
    'dir/a.txt': 'file a',
    'dir/b.html': '<p>file b</p>',
    'dir/sub/deep.css': 'body { }',
    'dir/z&<q>.txt': 'odd name',
    'sp ace/x y.txt': 'spaced',
    'big.html': `<html><head><title>t</title></head><body>${TEXT}</body></html>`,
    'ten.txt': '0123456789',
    'abc.html': 'abcdefghijklmnopqrstuvwxyz',
    'data.json': '{"a": 1}',
    none: 'no extension',
    'zero.html': '',
    'koi.html': Buffer.from('caf\xe9 \xc0\xc1\xc2', 'latin1'),
    'utf.html': Buffer.from('café — ёж', 'utf8'),
    '404.html': 'custom not found',
    '50x.html': 'custom server error',
    'pre.html': 'plain pre',
    'pre.html.gz': Buffer.from('H4sIAAAAAAAAAytITM5WKMgoSgUAq3kPvAsAAAA=', 'base64'),
    'inc.html': 'included',
    'ssi.html':
      'a<!--# include virtual="/inc.html" -->b<!--# set var="x" value="1$arg_q" --><!--# echo var="x" --><!--# if expr="$arg_q = 1" -->one<!--# elif expr="$arg_q" -->some<!--# else -->none<!--# endif -->|<!--# echo var="nope" default="dflt" -->|<!--# config timefmt="%Y" --><!--# echo var="last_modified" default="-" -->',
    'ssi2.html':
      '<!--# block name="one" -->fallback<!--# endblock --><!--# include virtual="/missing" stub="one" --><!--# include file="inc.html" --><!--# echo var="arg_q" encoding="none" --><!--# echo var="arg_q" encoding="url" --><!--# echo var="arg_q" encoding="entity" --><!--# if expr="$arg_q = /^a(.)/" -->re<!--# echo var="1" --><!--# endif --><!--# bad --><!-- plain --><!--# if expr="$arg_q != b" -->nb<!--# endif -->',
    passwd: 'joe:{PLAIN}secret\nann:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\nbob:$apr1$Zp5xHcWd$0QhnOAy7vYwJnqDN7ePGX/\n',
  },
};

/** A raw request. */
export function req(rng: Rng, method: string, uri: string, headers: string[] = [], body?: string): string {
  const version = rng.bool(0.85) ? '1.1' : '1.0';
  const all = (version === '1.1' ? ['Connection: close', ...headers] : headers).filter(
    // nginx 1.22 shows only the first of several fields, newer ones all
    (line, n, lines) => lines.findIndex((other) => other.split(':')[0] === line.split(':')[0]) === n,
  );
  const framed = body === undefined ? all : [...all, `Content-Length: ${body.length}`];
  return `${method} ${uri} HTTP/${version}\r\n${framed.map((h) => `${h}\r\n`).join('')}\r\n${body ?? ''}`;
}

export const some = <T>(rng: Rng, items: readonly T[], probability = 0.5): T[] => items.filter(() => rng.bool(probability));
const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

const FILES = [
  '/',
  '/index.html',
  '/dir',
  '/dir/',
  '/dir/a.txt',
  '/big.html',
  '/ten.txt',
  '/none',
  '/missing',
  '/missing/',
  '/zero.html',
  '/empty/',
  '/dir/sub/deep.css',
  '/dir//a.txt',
  '/dir/../ten.txt',
  '/dir/%61.txt',
  '/sp%20ace/x%20y.txt',
  '/data.json?q=1',
  '/DIR/a.txt',
  '/dir/z&%3Cq%3E.txt',
  '/ten.txt/',
  '/dir/index.html/x',
  '/empty',
  '/sp%20ace',
  '/sp%20ace/',
  '/dir?x=1%20y',
  '/dir/sub?a',
  '/%2e%2e/x',
  '/dir/./a.txt',
  '/x%00',
  '/dir/#f',
  '/?',
  '//',
  '/dir/..',
  '/a%2Fb',
  '/dir%2Fa.txt',
  '/te%6e.txt?%41',
];
const METHODS = ['GET', 'GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'FOO', 'PATCH', 'PROPFIND'];

const file = (rng: Rng): string => rng.pick(FILES);
const plain = (rng: Rng, headers: string[] = []): string => req(rng, rng.pick(METHODS), file(rng), headers);

const staticFiles: Generator = (rng) => ({
  server: [
    ...some(
      rng,
      [
        'index index.html;',
        'index a.txt index.html;',
        'index /ten.txt;',
        'index missing.html $arg_i;',
        'autoindex on;',
        'etag off;',
        'default_type text/x-d;',
        'merge_slashes off;',
        'server_tokens off;',
        'absolute_redirect off;',
        'port_in_redirect off;',
        'server_name_in_redirect on;',
        'log_not_found off;',
        'max_ranges 1;',
        'if_modified_since before;',
        'types { text/x-t txt; }',
        'keepalive_timeout 0;',
        'open_file_cache max=10; open_file_cache_errors on;',
        'sendfile on;',
        'expires 1h;',
        'disable_symlinks on;',
        'msie_padding off;',
        'recursive_error_pages on;',
      ],
      0.12,
    ),
    rng.pick([
      '',
      'location /al/ { alias FOLDER/html/dir/; }',
      'location ~ ^/al/(.*)$ { alias FOLDER/html/dir/$1; }',
      'location /al { alias FOLDER/html/dir; }',
      'location = /ten.txt { root FOLDER/html; }',
      'location /al/ { root FOLDER/html/dir; }',
      'location /dir/ { internal; }',
      'location ^~ /dir/ { return 204; } location ~ txt$ { return 205; }',
      'location ~* ^/DIR/ { add_header X-L re; } location /dir/ { add_header X-L pre; location ~ a\\.txt { add_header X-L nest; } }',
    ]),
  ].join('\n'),
  requests: [
    ...many(10, () => plain(rng)),
    ...['/al/a.txt', '/al', '/al/', '/al/../ten.txt', '/al/sub', '/alx'].map((uri) => req(rng, 'GET', uri)),
  ],
});

const autoindex: Generator = (rng) => ({
  server: `location / { index none.html; autoindex on; ${some(rng, ['autoindex_format ' + rng.pick(['html', 'json', 'jsonp', 'xml']) + ';', 'autoindex_localtime on;', 'autoindex_exact_size off;', 'charset utf-8;', 'add_header X-A 1;']).join(' ')} }`,
  requests: [
    '/',
    '/dir/',
    '/empty/',
    '/dir/?callback=cb',
    '/?callback=a.b',
    '/?callback=a%28',
    '/dir',
    '/sp%20ace/',
    '/missing/',
    '/put/',
  ].map((uri) => req(rng, rng.pick(['GET', 'GET', 'HEAD', 'POST']), uri)),
});

const tryFiles: Generator = (rng) => ({
  server: `location / { try_files ${rng.shuffle(some(rng, ['$uri', '$uri/', '$uri.html', '/dir$uri', '$uri/index.html', '$arg_f', '/dir/', 'ten.txt'], 0.4)).join(' ') || '$uri'} ${rng.pick(['=404', '=503', '@fall', '/ten.txt', '/fall?u=$uri', '/index.html', '=444', '/missing', '/dir/', '=200'])}; }
    location @fall { ${rng.pick(['return 200 "fall $uri $args";', 'try_files /abc.html =410;', 'rewrite ^ /ten.txt break;', 'root FOLDER/html/dir; rewrite ^ /a.txt break;'])} }
    location /fall { return 200 "f $args $request_uri"; } location /al { alias FOLDER/html/dir; try_files $uri $uri/ ${rng.pick(['/abc.html', '=404', '@fall', '/al/a.txt'])}; }`,
  requests: [
    ...many(9, () => req(rng, rng.pick(['GET', 'HEAD', 'POST']), file(rng))),
    ...['/abc?x=1', '/al/a.txt', '/al/nope', '/al/sub', '/?f=/ten.txt', '/x?f=dir/a.txt'].map((u) => req(rng, 'GET', u)),
  ],
});

const errorPage: Generator = (rng) => ({
  server: [
    `error_page ${rng.pick(['404', '404 403', '404 405 500 503'])} ${rng.pick(['', '=', '=200', '=410', '=302', '=500'])} ${rng.pick(['/404.html', '@named', '/none-there', 'http://other.test/x?$args', '/cgi?e=$status', '$arg_to', '/loc/'])};`,
    rng.pick(['', 'error_page 500 502 503 504 /50x.html;', 'error_page 410 418 =200 @named;', 'error_page 400 413 414 495 497 /50x.html;']),
    rng.pick(['', 'recursive_error_pages on;']),
    `location @named { ${rng.pick(['return 200 "named $uri $status";', 'return 404;', 'return 301 /x;', 'try_files /50x.html =404;', 'rewrite ^ /ten.txt break;', 'add_header X-E always always; return 503 "b";'])} }`,
    'location /cgi { return 200 "cgi $args $uri $request_method"; } location /loc/ { root FOLDER/html; index nothing; } location = /404.html { internal; }',
    `location /r { ${rng.pick(['error_page 418 = /ten.txt;', 'error_page 418 =202 @named;', ''])} return ${rng.pick(['418', '404', '500', '503', '410', '403 body', '404 ""', '400', '499', '444', '497', '599', '204', '304', '412', '416', '507', '421', '429', '308 /y'])}; }`,
    'location /deny { deny all; } location /post { limit_except GET { deny all; } }',
    rng.pick(['', 'msie_refresh on;', 'msie_padding off;', 'server_tokens off;']),
  ].join('\n'),
  requests: many(10, () =>
    req(
      rng,
      rng.pick(['GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE']),
      rng.pick([
        '/missing',
        '/r',
        '/deny',
        '/post',
        '/404.html',
        '/x?to=/ten.txt',
        '/loc/',
        '/r?a=b',
        '/50x.html',
        '/empty/',
        '/missing?a=1&b=%20',
      ]),
      some(rng, ['User-Agent: Mozilla/4.0 (compatible; MSIE 6.0)', 'User-Agent: Chrome/1 (compatible; MSIE)', 'Range: bytes=0-3'], 0.2),
    ),
  ),
});

const RETURNS = [
  '200',
  '200 ""',
  '200 "t $arg_a $uri"',
  '204',
  '301 /x',
  '302 http://h.test/$uri',
  '303 $arg_u',
  '307 "/q?$args"',
  '308 /a%20b',
  '301 "/sp ace"',
  '404',
  '404 "b $status"',
  '444',
  '403',
  '500 x',
  'http://h.test/y',
  'https://h.test$request_uri',
  '$scheme://$host/z',
  '201 created',
  '299 odd',
  '206 part',
  '304',
  '416',
  '301 ""',
  '302 rel',
  '301 //h/x',
  '100',
  '199 x',
  '600 x',
  '999',
  '0',
  '413',
  '408',
  '494',
  '495 x',
  '499',
];
const returns: Generator = (rng) => ({
  server: `${some(rng, ['default_type text/x-d;', 'absolute_redirect off;', 'port_in_redirect off;', 'server_name_in_redirect on;', 'add_header X-A "$status";', 'add_header X-B b always;', 'gzip on; gzip_types *; gzip_min_length 1;', 'expires 5s;', 'expires -1;', 'charset utf-8;'], 0.25).join(' ')}
${many(6, () => rng.pick(RETURNS))
  .map((text, n) => `location /r${n} { return ${text}; }`)
  .join('\n')}`,
  requests: many(12, () =>
    req(
      rng,
      rng.pick(['GET', 'GET', 'HEAD', 'POST', 'PUT']),
      `/r${rng.int(0, 5)}${rng.pick(['', '?a=1', '?u=/z', '/more', '?u=http://o/', '?a=%20&u='])}`,
      some(
        rng,
        [
          'Accept-Encoding: gzip',
          'Range: bytes=0-2',
          'If-None-Match: *',
          'If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT',
          'Expect: 100-continue',
          'If-Match: "x"',
        ],
        0.2,
      ),
      rng.bool(0.2) ? 'body' : undefined,
    ),
  ),
});

const REGEXES = [
  '^/a/(.*)$ /b/$1',
  '^/a/(\\w+)/(\\w+) /b/$2?x=$1',
  '^ /ten.txt',
  '(?<n>[^/]+)\\.html$ /b/$n.txt',
  '^/(.*)\\s /sp/$1',
  '^/u/(.*) /b/$1?',
  '^/u/(.*) /b/$1?k=v?',
  '^/x http://h.test/$uri',
  '^/x https://h.test/y?z=1',
  '^/q(.*) /b$1$is_args$args',
  '^/é /b',
  '^/c/(.*)/(.*)$ /b/$2/$1?arg=$1',
  '/b/(.*) /c/$1',
  '^(/dir)/(?!sub).* $1/a.txt',
  '^/%41 /b',
  '"^/a{1,2}/(.*)" "/b/$1 x"',
  '^/loop /loop',
  'i /I',
  '^/(?i)ABC /ten.txt',
];
const rewriting: Generator = (rng) => {
  const rule = (): string => `rewrite ${rng.pick(REGEXES)} ${rng.pick(['', 'last', 'break', 'redirect', 'permanent'])};`;
  return {
    server: `rewrite_log on; ${rng.bool(0.3) ? rule() : ''}
      location / { ${many(rng.int(1, 3), rule).join(' ')} ${rng.bool() ? 'return 200 "at $uri|$args|$request_uri|$1|$is_args";' : ''} }
      location /b/ { ${rng.bool(0.4) ? rule() : ''} return 200 "b $uri|$args|$1|$2"; } location /c/ { ${rng.bool(0.5) ? rule() : ''} }
      location ~ ^/re/(.+)$ { set $v $1; rewrite ^/re/(.)(.*)$ /b/$2-$1-$v; }`,
    requests: many(12, () =>
      req(
        rng,
        rng.pick(['GET', 'GET', 'HEAD', 'POST']),
        rng.pick([
          '/a/one',
          '/a/one/two?z=1',
          '/x',
          '/x/y?q',
          '/u/1?old=2',
          '/q/1?p=%41',
          '/dir/sub',
          '/dir/x',
          '/page.html',
          '/b/x',
          '/c/1/2',
          '/a/sp%20ace',
          '/a/%3Fq',
          '/a/%25',
          '/a/%2B+',
          '/loop',
          '/re/abc',
          '/%C3%A9',
          '/aa/k',
          '/a/a%0ab',
          '/a/x%23y',
          '/abc',
          '/u/?',
          '/a/"q"',
          '/a/<>',
          '/c/x%20y/%26z?a=b&c',
        ]),
      ),
    ),
  };
};

const CONDITIONS = [
  '$arg_a',
  '$arg_a = 1',
  '$arg_a != 1',
  '$arg_a ~ ^(.)(.)',
  '$arg_a ~* ABC',
  '$arg_a !~ x',
  '$request_method = POST',
  '-f $request_filename',
  '!-f $request_filename',
  '-d $document_root$uri',
  '-e $document_root$arg_f',
  '!-e $request_filename',
  '-x $request_filename',
  '$http_x_y',
  '$http_cookie ~* "k=([^;]+)"',
  '$uri ~ "^/(d.*)/"',
  '$args ~ (.*)',
  '$arg_a = ""',
  '$invalid_referer',
  '$host = c',
  '$arg_z !~* "(y)"',
];
const ifs: Generator = (rng) => ({
  server: `set $r none; set $y ""; valid_referers none server_names ~\\.good\\.; ${rng.bool(0.4) ? `if (${rng.pick(CONDITIONS)}) { set $r server; ${rng.pick(['', 'return 403;', 'rewrite ^ /ten.txt;', 'break;'])} }` : ''}
    location / { add_header X-R "$r|$y|$1" always; ${many(rng.int(1, 3), () => `if (${rng.pick(CONDITIONS)}) { ${rng.pick(['set $r in;', 'set $y "$1-$2"; break;', 'return 200 "in $r $1";', 'add_header X-If 1;', 'rewrite ^ /dir/a.txt break;', 'root FOLDER/html/dir;', 'return 302 /to$1;', 'expires 1d;', 'error_page 404 =200 /ten.txt;', 'set $y $arg_b; set $r "${r}x";', 'limit_rate 0;', 'gzip on;', 'charset koi8-r;', 'access_log off;', 'rewrite (.*) /new$1?p=$r last;', 'default_type x/y;', 'break; return 500;'].filter((t) => !t.startsWith('default_type')))} }`).join('\n')} ${rng.pick(['', 'set $y end;', 'return 200 "end $r $y";', 'root FOLDER/html; index dir/a.txt;'])} }
    location /new { return 200 "new $uri $args"; }`,
  requests: many(12, () =>
    req(
      rng,
      rng.pick(['GET', 'GET', 'GET', 'HEAD', 'POST']),
      rng.pick(['/', '/ten.txt', '/dir/a.txt', '/missing', '/dir/', '/dir']) +
        rng.pick(['', '?a=1', '?a=abc', '?a=1&b=2', '?f=/ten.txt', '?a=', '?A=x', '?a=%31', '?b=1&a=xyz&a=2', '?zz=1']),
      some(
        rng,
        [
          'X-Y: yes',
          'X-Y: 0',
          'Cookie: k=v1; b=2',
          'Cookie: a=1',
          'Referer: http://x.good.y/',
          'Referer: bad',
          'Referer: http://c0/',
          'Referer: -',
        ],
        0.25,
      ),
    ),
  ),
});

const maps: Generator = (rng) => ({
  http: `map $arg_a $m_CASE { ${some(rng, ['default d;', 'hostnames;', 'volatile;'], 0.4).join(' ')} ${rng
    .shuffle(
      some(
        rng,
        [
          'a 1;',
          '~^b(.*)$ "re $1";',
          '~*^C(.) "ci $1";',
          '"" empty;',
          'x "v $arg_b";',
          '*.h.test wild;',
          '.d.test dot;',
          'w.* after;',
          '\\default esc;',
          '"~^ sp" space;',
          '~(..)$ "$1-$uri";',
          'default2 q;',
          'a.h.test exact;',
          '~[ $uri;',
        ].filter((t) => !t.startsWith('~[')),
        0.5,
      ),
    )
    .join(' ')} }
    map "$arg_a:$m_CASE" $n_CASE { default $arg_b; ~^1 one; ~:(.+)$ "<$1>"; }
    geo $g_CASE { default gd; ${some(rng, ['127.0.0.1 exact;', '127.0.0.0/8 net;', '10.0.0.0/8 ten;', '0.0.0.0/0 all;', '127.0.0.0/24 n24;', '::/0 six;'], 0.5).join(' ')} }
    geo $arg_ip $h_CASE { ${some(rng, ['proxy 1.1.1.1;', 'ranges;'], 0.2)
      .filter((t) => t !== 'proxy 1.1.1.1;')
      .join(
        '',
      )} ${''} default hd; ${rng.bool() ? '10.0.0.0-10.0.0.255 r1; 10.0.1.0-10.0.1.5 r2;' : '10.0.0.0/8 c1; 10.1.0.0/16 c2; 10.1.2.3 c3; 2001:db8::/32 v6; delete 10.1.0.0/16;'} }
    split_clients "$arg_a$arg_b" $s_CASE { ${rng.pick(['50% one; * two;', '0.01% tiny; 30% b; 69.99% c;', '33.3% "x $arg_a"; * "";', '10% a; 20% b; * c;'])} }`.replace(
    'geo $arg_ip $h_CASE {  ',
    'geo $arg_ip $h_CASE { ',
  ),
  server: 'return 200 "$m_CASE|$n_CASE|$g_CASE|$h_CASE|$s_CASE";',
  requests: many(14, () =>
    req(
      rng,
      'GET',
      `/?a=${rng.pick(['a', 'A', 'bxy', 'cz', 'CQ', '', 'x', 'www.h.test', 'd.test', 'n.d.test', 'w.org', 'default', 'esc', '1', 'a.h.test', 'W.ORG', '%20sp', rng.word()])}&b=${rng.word(4)}&ip=${rng.pick(['10.0.0.1', '10.0.1.5', '10.0.1.6', '10.1.2.3', '10.1.9.9', '2001:db8::1', 'bad', '', '255.255.255.255', '10.0.0.256'])}`,
    ),
  ),
});

const headers: Generator = (rng) => ({
  server: `${some(rng, ['add_header X-S "s $arg_a";', 'add_header X-S2 s2 always;', 'expires 10m;', 'add_trailer X-T t;', 'etag off;'], 0.4).join(' ')}
    location / { ${some(
      rng,
      [
        'add_header X-L "$status $sent_http_content_type";',
        'add_header Cache-Control private;',
        'add_header Cache-Control no-transform always;',
        'add_header X-Empty "$arg_none";',
        'add_header Last-Modified "";',
        'add_header Last-Modified "Thu, 01 Jan 2015 00:00:00 GMT";',
        'add_header ETag \'"x"\';',
        'add_header Content-Type x/y;',
        'add_header Link "</a>; rel=x";',
        'add_header Content-Length 7 ;',
        'add_header Server mine;',
        'add_header Connection x;',
        'add_header Vary Foo;',
        'add_header Accept-Ranges none;',
        'add_header X-Dup 1; add_header X-Dup 2;',
        'add_trailer X-Tr "$body_bytes_sent";',
      ].filter((t) => !/Content-Length|Connection/.test(t)),
      0.25,
    ).join(' ')}
    ${rng.pick(['', 'expires epoch;', 'expires max;', 'expires -1s;', 'expires @15h30m;', 'expires modified 1d;', 'expires modified -1h;', 'expires $arg_e;', 'expires 1d2h;', 'expires off;', 'expires 0;'])} }
    location /r { return ${rng.pick(['200 x', '201 x', '204', '301 /y', '403', '404 x', '206 x', '304', '302 /z', '307 /z', '308 /z', '500'])}; }`,
  requests: many(10, () =>
    req(
      rng,
      rng.pick(['GET', 'GET', 'HEAD', 'POST']),
      rng.pick([
        '/ten.txt',
        '/r',
        '/missing',
        '/r?a=1',
        '/ten.txt?e=1h',
        '/ten.txt?e=max',
        '/ten.txt?e=bad',
        '/ten.txt?e=epoch',
        '/ten.txt?e=-5',
        '/ten.txt?e=off',
        '/ten.txt?e=@1h',
        '/dir',
        '/ten.txt?e=modified+1h',
      ]),
      some(rng, ['If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT', 'If-None-Match: "x"', 'TE: trailers', 'Range: bytes=2-3'], 0.2),
    ),
  ),
});

const conditional: Generator = (rng) => ({
  server: `${some(rng, ['if_modified_since before;', 'if_modified_since off;', 'etag off;', 'max_ranges 2;', 'max_ranges 0;', 'gzip on; gzip_types *; gzip_min_length 1;', 'add_header Last-Modified "";', 'sub_filter 5 five; sub_filter_types *;', 'sub_filter 5 five; sub_filter_types *; sub_filter_last_modified on;', 'ssi on; ssi_types *;', 'charset utf-8;', 'add_header Cache-Control no-store;'], 0.15).join(' ')} location /ret { return 200 0123456789; } location /st { add_header X-A 1; alias FOLDER/html; }`,
  requests: many(14, () => {
    const time = [
      'Mon, 06 May 2024 07:08:09 GMT',
      'Mon, 06 May 2024 07:08:08 GMT',
      'Mon, 06 May 2024 07:08:10 GMT',
      'Monday, 06-May-24 07:08:09 GMT',
      'Mon May  6 07:08:09 2024',
      'junk',
      'Thu, 01 Jan 1970 00:00:00 GMT',
      '',
      'Mon, 31 Feb 2024 07:08:09 GMT',
      'Sun, 06 May 2024 07:08:09 GMT',
      'Mon, 06 May 2024 07:08:09',
    ];
    const tag = [
      '"66388189-a"',
      'W/"66388189-a"',
      '*',
      '"x", "66388189-a"',
      '"x"',
      'junk',
      '',
      '"66388189-a" , "y"',
      'W/"x",W/"66388189-a"',
      '""',
      '"66388189-a"x',
      ',"66388189-a"',
    ];
    const ranges = [
      '0-3',
      '-3',
      '5-',
      '9-9',
      '10-',
      '0-0,2-3',
      '0-1,1-4',
      '3-1',
      'x',
      '0-',
      '0-100',
      '-0',
      '-100',
      '0-1,20-30',
      '20-30',
      '0-0,-1',
      ' 1-2',
      '1-2 ',
      '1 - 2',
      '',
      '0-1,',
      '0-9',
      '0-4,5-9',
      '9999999999999999999-',
      '1-99999999999999999999',
      '0-0,1-1,2-2',
      '0--1',
      '-',
      '0-1;2-3',
    ];
    return req(
      rng,
      rng.pick(['GET', 'GET', 'GET', 'HEAD', 'POST']),
      rng.pick(['/ten.txt', '/ten.txt', '/ten.txt', '/ret', '/zero.html', '/missing', '/st/ten.txt']),
      [
        ...some(
          rng,
          [
            `If-Modified-Since: ${rng.pick(time)}`,
            `If-Unmodified-Since: ${rng.pick(time)}`,
            `If-None-Match: ${rng.pick(tag)}`,
            `If-Match: ${rng.pick(tag)}`,
          ],
          0.2,
        ),
        ...(rng.bool(0.6)
          ? [
              `${rng.pick(['Range', 'Range', 'range'])}: ${rng.pick(['bytes=', 'bytes=', 'bytes=', 'Bytes=', 'bytes =', 'items='])}${rng.pick(ranges)}`,
            ]
          : []),
        ...(rng.bool(0.2) ? [`If-Range: ${rng.pick([...time, ...tag])}`] : []),
        ...(rng.bool(0.15) ? ['Accept-Encoding: gzip'] : []),
      ],
    );
  }),
});

const charset: Generator = (rng) => ({
  http: rng.bool(0.4) ? '' : '',
  server: `${some(rng, ['charset ' + rng.pick(['utf-8', 'koi8-r', 'off', 'windows-1251', 'iso-8859-1']) + ';', 'override_charset on;', 'charset_types text/plain application/json;', 'charset_types *;', 'default_type text/css;', 'ssi on;'], 0.6).join(' ')} location /r { default_type ${rng.pick(['text/html', 'text/plain', 'text/css', '"text/html; charset=abc"', 'text/xml'])}; return ${rng.pick(['200 caf\xc3\xa9', '404 x', '301 /x'])}; } location /p { proxy_pass http://127.0.0.1:PORT_HTTP; }`,
  answers: [
    'text/html',
    'text/html; charset=koi8-r',
    'text/plain;charset="x"',
    'application/json',
    'text/html; a=b',
    'TEXT/HTML; Charset=A',
  ].map((type) => `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\nbody`),
  requests: [
    ...many(7, () =>
      req(
        rng,
        rng.pick(['GET', 'HEAD']),
        rng.pick(['/koi.html', '/utf.html', '/ten.txt', '/data.json', '/r', '/missing', '/dir', '/utf.html?c=utf-8', '/ten.txt?c=x']),
      ),
    ),
    ...many(5, () => req(rng, 'GET', `/p?c=${rng.pick(['', 'utf-8', 'koi8-r'])}`, [`X-Answer: ${rng.int(0, 5)}`])),
  ],
});

const sub: Generator = (rng) => ({
  server: `${some(rng, ['sub_filter fox cat;', "sub_filter 'QUICK' '$arg_q';", "sub_filter '<b>' '<i>'; sub_filter '</b>' '</i>';", 'sub_filter $arg_s $arg_r;', "sub_filter e '';", 'sub_filter dog dg;', 'sub_filter abc "";', 'sub_filter z Z;', 'sub_filter mnopq "--";'], 0.35).join(' ') || 'sub_filter a b;'} ${some(rng, ['sub_filter_once off;', 'sub_filter_types text/plain;', 'sub_filter_types *;', 'sub_filter_last_modified on;', 'gzip on;', 'add_after_body /inc.html;', 'add_before_body /inc.html;', 'addition_types *;', 'ssi on;'], 0.35).join(' ')} location /p { proxy_pass http://127.0.0.1:PORT_HTTP; ${rng.pick(['', 'proxy_buffering off;'])} }`,
  answers: [
    'Content-Length: 12\r\n\r\nfox fox dog.',
    '\r\naaaabcabc fo',
    'ETag: "x"\r\nLast-Modified: Mon, 06 May 2024 07:08:09 GMT\r\nAccept-Ranges: bytes\r\nContent-Length: 3\r\n\r\nfox',
    'Content-Encoding: gzip\r\n\r\nfox',
  ].map((text) => `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n${text}`),
  requests: [
    ...many(8, () =>
      req(
        rng,
        rng.pick(['GET', 'GET', 'HEAD']),
        rng.pick(['/big.html', '/abc.html', '/ten.txt', '/zero.html', '/missing', '/dir/b.html', '/utf.html']) +
          rng.pick(['', '?q=slow', '?s=abc&r=xyz', '?s=yz', '?s=5&r=$uri']),
        some(rng, ['Accept-Encoding: gzip', 'Range: bytes=1-3', 'If-None-Match: "x"'], 0.2),
      ),
    ),
    ...many(4, () => req(rng, 'GET', '/p?s=aab&r=x', [`X-Answer: ${rng.int(0, 3)}`])),
  ],
});

const ssi: Generator = (rng) => ({
  server: `ssi on; ${some(rng, ['ssi_silent_errors on;', 'ssi_last_modified on;', 'ssi_types text/plain;', 'ssi_value_length 8;', 'ssi_min_file_chunk 1;', 'gzip on; gzip_min_length 1;', 'log_subrequest on;', 'charset utf-8;', 'add_header X-A 1;'], 0.25).join(' ')}
    location /x/ { return 200 "sub $uri $args $request_method <!--# echo var='arg_q' -->"; } location /e { return 403; } location /s { default_type text/html; return 200 '${rng
      .shuffle([
        '<!--# include virtual="/x/1?a=b" -->',
        '<!--# include virtual="/x/$arg_q" -->',
        '<!--# include virtual="/e" -->',
        '<!--# include virtual="/x/2" wait="yes" -->',
        '<!--# include virtual="/x/3" set="v" --><!--# echo var="v" -->',
        '<!--# set var="w" value="$arg_q-$uri" --><!--# echo var="w" -->',
        '<!--# echo var="date_gmt" default="n" -->'.replace('date_gmt', 'nodate'),
        '<!--# if expr="$arg_q" -->[<!--# if expr="$arg_q = 1" -->in<!--# else -->out<!--# endif -->]<!--# endif -->',
        '<!--# config errmsg="oops" -->',
        '<!--# include -->',
        '<!--# echo -->',
        '<!--# unknown x="y" -->',
        '<!--#echo var="arg_q"-->',
        '<!--# include virtual="/s2" -->',
        '<!--# include virtual="/missing" -->',
        '<!-- # no -->',
        '<!--# include file="../x" -->',
        '<!--# include virtual="" -->',
        '<!--# if expr="$arg_q = /(?P<nm>..)/" -->m:<!--# echo var="nm" --><!--# endif -->',
        '<!--# endif -->',
        '<!--# block name="bl" -->blk<!--# endblock --><!--# include virtual="/e" stub="bl" -->',
        '<!--# flush -->',
      ])
      .slice(0, rng.int(2, 7))
      .join('.')
      .replaceAll('$', '$')}'; } location /s2 { default_type text/html; return 200 's2 <!--# echo var="arg_q" default="no" -->'; }`,
  requests: many(9, () =>
    req(
      rng,
      rng.pick(['GET', 'GET', 'GET', 'HEAD', 'POST']),
      rng.pick(['/s', '/s', '/s', '/ssi.html', '/ssi2.html', '/ten.txt', '/zero.html']) +
        rng.pick(['', '?q=1', '?q=abc', '?q=%3Cb%3E', '?q=a%20b&x']),
      some(rng, ['Accept-Encoding: gzip', 'If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT', 'Range: bytes=0-1'], 0.15),
    ),
  ),
});

const gzip: Generator = (rng) => ({
  server: `gzip on; ${some(
    rng,
    [
      'gzip_types *;',
      'gzip_types text/plain application/json;',
      'gzip_min_length 1;',
      'gzip_min_length 100;',
      'gzip_comp_level 9;',
      'gzip_vary on;',
      'gzip_http_version 1.0;',
      'gzip_proxied ' + rng.pick(['any', 'off', 'expired', 'no-cache no-store', 'private auth', 'no_last_modified', 'no_etag']) + ';',
      'gzip_disable msie6;',
      'gzip_disable "Bad.*";',
      'gzip_static ' + rng.pick(['on', 'always', 'off']) + ';',
      'gunzip on;',
      'etag off;',
      'expires 1d;',
    ],
    0.3,
  )
    .join(' ')
    .replace('no-cache no-store', 'no-cache no-store')} location /p { proxy_pass http://127.0.0.1:PORT_HTTP; }`,
  answers: [
    'ETag: "x"\r\n',
    'ETag: W/"x"\r\nLast-Modified: Mon, 06 May 2024 07:08:09 GMT\r\n',
    'Cache-Control: no-cache\r\n',
    'Cache-Control: private\r\n',
    'Expires: Thu, 01 Jan 1970 00:00:00 GMT\r\n',
    'Content-Encoding: br\r\n',
    'Vary: X\r\n',
    'Vary: Accept-Encoding\r\n',
    'Content-Length: 400\r\n',
  ].map(
    (text) =>
      `HTTP/1.1 ${rng.pick(['200 OK', '200 OK', '403 No', '404 Not', '201 C', '500 E'])}\r\nContent-Type: text/html\r\nConnection: close\r\n${text}\r\n${'x'.repeat(400)}`,
  ),
  requests: many(14, () => {
    const proxied = rng.bool(0.4);
    return req(
      rng,
      rng.pick(['GET', 'GET', 'GET', 'HEAD']),
      proxied
        ? '/p'
        : rng.pick(['/big.html', '/ten.txt', '/pre.html', '/abc.html', '/data.json', '/zero.html', '/missing', '/pre.html.gz', '/pre']),
      [
        ...(rng.bool(0.85)
          ? [
              `Accept-Encoding: ${rng.pick(['gzip', 'gzip, deflate', 'deflate', 'gzip;q=0', 'gzip;q=1.0', 'gzip;q=0.0', '*', 'x-gzip', 'GZIP', 'gzip ; q=0.5', 'br, gzip', 'gzip;q=0.001', 'agzip', 'gzipx', 'gzip;q=', 'gzip;q=2', 'gzip;q=0.0001', 'identity, gzip;q=0.5'])}`,
            ]
          : []),
        ...some(
          rng,
          ['Via: 1.1 x', 'Authorization: x', 'User-Agent: Mozilla/4.0 (compatible; MSIE 5.0)', 'User-Agent: BadBot', 'Range: bytes=0-5'],
          0.2,
        ),
        ...(proxied ? [`X-Answer: ${rng.int(0, 8)}`] : []),
      ],
    );
  }),
});

const addition: Generator = (rng) => ({
  server: `${some(
    rng,
    [
      'add_before_body /inc.html;',
      'add_after_body /x?u=$uri;',
      'add_before_body $arg_b;',
      'add_after_body "";',
      'addition_types text/plain;',
      'addition_types *;',
      'gzip on;',
      'log_subrequest on;',
      'ssi on;',
      'add_after_body /missing;',
      'sub_filter a b;',
    ].filter((_, n) => n !== 2),
    0.4,
  )
    .filter((text, n, all) => all.findIndex((other) => other.split(' ')[0] === text.split(' ')[0]) === n)
    .join(' ')} location /x { return 200 "[$args]"; } location /none { add_before_body ""; }`,
  requests: many(8, () =>
    req(
      rng,
      rng.pick(['GET', 'HEAD', 'POST']),
      rng.pick(['/abc.html', '/ten.txt', '/missing', '/inc.html', '/none', '/zero.html', '/x', '/dir']),
      some(rng, ['Range: bytes=0-3', 'Accept-Encoding: gzip', 'If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT'], 0.2),
    ),
  ),
});

const ACCESS = [
  'allow 127.0.0.1;',
  'deny 127.0.0.1;',
  'deny all;',
  'allow all;',
  'allow 10.0.0.0/8;',
  'deny 127.0.0.0/8;',
  'allow ::1;',
  'deny unix:;',
];
const access: Generator = (rng) => ({
  http: '',
  server: `${some(rng, ['satisfy any;', 'auth_delay 0;', 'set_real_ip_from 127.0.0.1;', 'real_ip_header ' + rng.pick(['X-Real-IP', 'X-Forwarded-For']) + ';', 'real_ip_recursive on;', 'set_real_ip_from 10.0.0.0/8;', 'set_real_ip_from unix:;'], 0.45).join(' ')}
    location / { ${rng.shuffle(some(rng, ACCESS, 0.3)).join(' ')} ${rng.bool(0.6) ? `auth_basic ${rng.pick(['"closed site"', 'x$arg_r', 'off', 'plain'])}; auth_basic_user_file ${rng.pick(['FOLDER/html/passwd', 'FOLDER/html/passwd', 'FOLDER/html/nofile'])};` : ''} ${rng.bool(0.3) ? `limit_except ${rng.pick(['GET', 'GET POST', 'HEAD', 'PUT DELETE'])} { ${rng.pick(['deny all;', 'allow 127.0.0.1; deny all;', 'auth_basic m; auth_basic_user_file FOLDER/html/passwd;'])} }` : ''} ${rng.bool(0.2) ? 'auth_request /auth;' : ''} ${rng.bool(0.2) ? 'error_page 403 =200 /ok;' : ''} add_header X-U "$remote_user|$remote_addr|$realip_remote_addr" always; auth_request_set $au $sent_http_x_au; }
    location /auth { return ${rng.pick(['200', '204', '401', '403', '500', '404'])}; } location = /ok { allow all; return 200 ok; }`,
  requests: many(12, () =>
    req(rng, rng.pick(['GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']), rng.pick(['/ten.txt', '/', '/missing', '/?r=1']), [
      ...(rng.bool(0.6)
        ? [
            `Authorization: ${rng.pick(['Basic am9lOnNlY3JldA==', 'Basic am9lOmJhZA==', 'Basic YW5uOnRlc3Q=', 'basic am9lOnNlY3JldA==', 'Bearer x', 'Basic ', 'Basic !!!', 'Basic am9l', 'Basic OnNlY3JldA==', 'Basic  am9lOnNlY3JldA==', 'Basic bm9uZTp4', 'Basic am9lOnNlY3JldA', 'Basic am9lOg=='])}`,
          ]
        : []),
      ...some(
        rng,
        [
          'X-Real-IP: 1.2.3.4',
          'X-Real-IP: 10.1.1.1:80',
          'X-Real-IP: bad',
          'X-Forwarded-For: 1.1.1.1, 10.0.0.1',
          'X-Forwarded-For: 8.8.8.8',
          'X-Forwarded-For: 10.2.2.2,10.1.1.1',
          'X-Forwarded-For: x, 9.9.9.9',
          'X-Real-IP: [::1]:5',
          'X-Real-IP: ::2',
          'X-Forwarded-For: ',
        ],
        0.12,
      ),
    ]),
  ),
});

const md5 = (text: string): string => createHash('md5').update(text).digest('base64url');
const links: Generator = (rng) => ({
  server: `location /s/ { secure_link $arg_md5,$arg_e; secure_link_md5 "$secure_link_expires$uri sec"; return 200 "[$secure_link|$secure_link_expires]"; }
    location /n/ { secure_link $arg_md5; secure_link_md5 "$uri sec"; if ($secure_link = "") { return 403; } if ($secure_link = 0) { return 410; } return 200 "ok $secure_link"; }
    location /w/ { secure_link_secret word; if ($secure_link = "") { return 403; } return 200 "link $secure_link"; }
    location /img/ { valid_referers ${rng.shuffle(some(rng, ['none', 'blocked', 'server_names', '*.example.com', 'example.*', 'www.x.org/galleries/', '~\\.google\\.', 'exact.test', '~^re'], 0.5)).join(' ') || 'none'}; if ($invalid_referer) { return 403 "bad [$invalid_referer]"; } return 200 good; }`,
  requests: [
    `/s/a?md5=${md5('2147483000/s/a sec')}&e=2147483000`,
    `/s/a?md5=${md5('100/s/a sec')}&e=100`,
    `/s/a?md5=${md5('x/s/a sec')}&e=x`,
    '/s/a?md5=short&e=1',
    '/s/a',
    `/n/a?md5=${md5('/n/a sec')}`,
    `/n/b?md5=${md5('/n/a sec')}`,
    '/n/b',
    `/w/${createHash('md5').update('a/bword').digest('hex')}/a/b`,
    `/w/${createHash('md5').update('a/bword').digest('hex').toUpperCase()}/a/b`,
    '/w/x/a',
    '/w/',
  ]
    .map((uri) => req(rng, 'GET', uri))
    .concat(
      [
        '',
        'http://www.example.com/x',
        'http://example.com',
        'https://example.org/y',
        'www.x.org/galleries/1',
        'http://www.x.org/galleries/1',
        'http://www.x.org/other',
        'http://a.google.b/',
        'masked',
        'http://exact.test:80/',
        'HTTP://EXACT.TEST',
        'http://',
        'ftp://exact.test',
        'https://re',
        'http://exact.test.',
        'http://exact.test?x',
      ].map((r) => req(rng, 'GET', '/img/', r ? [`Referer: ${r}`] : [])),
    ),
});

const userid: Generator = (rng) => ({
  server: `userid ${rng.pick(['on', 'v1', 'log', 'off'])}; ${some(rng, ['userid_name n;', 'userid_domain example.com;', 'userid_path /p;', 'userid_expires ' + rng.pick(['1d', 'max', 'off', '365d']) + ';', 'userid_flags secure httponly samesite=lax;', 'userid_p3p \'policyref="x"\';', 'userid_mark ' + rng.pick(['q', '=', 'Z', '0']) + ';', 'userid_service 12345;'], 0.4).join(' ')} return 200 "[$uid_got|$uid_reset]";`,
  requests: [
    '',
    'uid=AQAAfwAAAAAAAAAAAAAAAg==',
    'n=AQAAfwAAAAAAAAAAAAAAAg==',
    'uid=bad',
    'uid=fwAAAWY4gYkAAAAAAwMDAg==',
    'uid=fwAAAWY4gYkAAAAAAwMDAgQ=',
    'n=fwAAAWY4gYkAAAAAAwMDAg=q',
    'xuid=1; uid=fwAAAWY4gYkAAAAAAwMDAg==',
  ].map((cookie) => req(rng, 'GET', '/', cookie ? [`Cookie: ${cookie}`] : [])),
});

const dav: Generator = (rng) => ({
  server: `location / { dav_methods ${rng.pick(['PUT DELETE MKCOL COPY MOVE', 'PUT DELETE', 'off', 'MKCOL COPY MOVE'])}; ${some(rng, ['create_full_put_path on;', 'dav_access group:rw all:r;', 'min_delete_depth 1;', 'client_max_body_size 8;', 'autoindex on;'], 0.35).join(' ')} } location /al/ { alias FOLDER/html/put/; dav_methods PUT DELETE MKCOL COPY MOVE; }`,
  requests: many(16, () => {
    const target = (): string =>
      rng.pick([
        '/put/new.txt',
        '/put/d/',
        '/put/d/e.txt',
        '/put/new.txt',
        '/dir/a.txt',
        '/dir/sub/',
        '/missing',
        '/put/',
        '/put/x/y/z',
        '/al/n.txt',
        '/put/d',
        '/empty/',
        '/dir',
        '/put/%20s',
        '/put/f.txt',
      ]);
    const method = rng.pick(['PUT', 'PUT', 'DELETE', 'MKCOL', 'COPY', 'MOVE', 'GET']);
    return req(
      rng,
      method,
      target(),
      [
        ...(method === 'COPY' || method === 'MOVE'
          ? some(
              rng,
              [`Destination: ${rng.pick(['', 'http://CASE', 'http://other.test', 'https://CASE', 'http://CASE:PORT'])}${target()}`],
              0.9,
            )
          : []),
        ...some(
          rng,
          [
            'Overwrite: F',
            'Overwrite: T',
            'Overwrite: X',
            'Depth: 0',
            'Depth: infinity',
            'Depth: 1',
            'Depth: x',
            'Date: Mon, 06 May 2024 07:08:09 GMT',
            'Content-Range: bytes 0-1/2',
            'Content-Type: text/x',
          ],
          0.1,
        ),
      ],
      method === 'PUT' ? rng.pick(['hello', 'longer than eight', '']) : rng.bool(0.1) ? 'b' : undefined,
    );
  }),
});

const limits: Generator = (rng) => ({
  http: `limit_req_zone $arg_k zone=r_CASE:1m rate=${rng.pick(['1r/m', '2r/m', '1r/s'])}; limit_conn_zone $arg_k zone=c_CASE:1m;`,
  server: `location / { limit_req zone=r_CASE ${rng.pick(['', 'burst=1 nodelay', 'burst=2 nodelay', 'burst=1 delay=1', 'nodelay'])}; ${some(rng, ['limit_req_status 429;', 'limit_req_log_level warn;', 'limit_req_dry_run on;', 'limit_conn c_CASE 1;', 'limit_rate 100k;', 'limit_rate_after 1k;'], 0.3).join(' ')} add_header X-L "$limit_req_status|$limit_conn_status" always; error_page 503 429 /busy; } location /busy { return 200 busy; }`,
  requests: many(9, () => req(rng, rng.pick(['GET', 'HEAD']), `/ten.txt?k=${rng.pick(['a', 'a', 'a', 'b', ''])}`)),
});

const logs: Generator = (rng) => ({
  http: `log_format f_CASE escape=${rng.pick(['default', 'json', 'none'])} '$http_x_id|$arg_a|$http_x_h|$request_uri|$bytes_sent|$request_length|$http_user_agent|$cookie_c|$sent_http_x_o|"$request"|$remote_user|$nothing_here|$connection_requests|$pipe|$http_referer';`.replace(
    '|$nothing_here',
    '',
  ),
  server: `access_log access.log f_CASE ${rng.pick(['', 'if=$arg_l', 'if=$http_x_h'])}; ${rng.pick(['', 'access_log access.log full;', 'access_log off;'])} location / { add_header X-O "o$arg_a"; } location /off { access_log off; return 200; } location /st { return ${rng.pick(['200 x', '404', '204', '302 /x', '444'])}; } log_not_found ${rng.pick(['on', 'off'])};`,
  requests: many(10, () =>
    req(
      rng,
      rng.pick(['GET', 'HEAD', 'POST']),
      rng.pick(['/ten.txt', '/off', '/st', '/missing', '/']) +
        rng.pick(['', '?a=1&l=1', '?a="q"&l=0', '?a=%22%0a', '?a=\\x&l=1', '?a=\x80\xff&l=y', '?l=', "?a='b'&l=1"]),
      some(
        rng,
        [
          'X-H: a"b\\c',
          'X-H: t\tt',
          'X-H: 0',
          'X-H: \xe9\x7f',
          'User-Agent: "x"',
          'Cookie: c=1; d=2',
          'Cookie: d; C=x',
          'Referer: \x01',
          'Authorization: Basic am9lOnNlY3JldA==',
        ],
        0.2,
      ),
    ),
  ),
});

const VARIABLES = [
  'arg_a',
  'args',
  'binary_remote_addr',
  'body_bytes_sent',
  'bytes_sent',
  'content_length',
  'content_type',
  'cookie_c',
  'document_root',
  'document_uri',
  'host',
  'http_x_y',
  'https',
  'is_args',
  'limit_rate',
  'nginx_nothing',
  'pipe',
  'proxy_protocol_addr',
  'query_string',
  'realpath_root',
  'remote_addr',
  'request',
  'request_body',
  'request_completion',
  'request_filename',
  'request_length',
  'request_method',
  'request_uri',
  'scheme',
  'sent_http_content_type',
  'sent_http_etag',
  'server_addr',
  'server_name',
  'server_port',
  'server_protocol',
  'status',
  'uri',
  'http_host',
  'http_cookie',
  'http_x_forwarded_for',
  'proxy_add_x_forwarded_for',
  'fastcgi_script_name',
  'request_body_file',
  'sent_http_location',
  'sent_http_last_modified',
  'sent_http_cache_control',
  'sent_http_link',
  'sent_http_connection',
  'http_user_agent',
  'invalid_referer',
  'ancient_browser',
  'modern_browser',
  'msie',
  'gzip_ratio',
  'connection_requests',
  'arg_',
  'cookie_',
  'http_',
  'proxy_host',
  'proxy_port',
  'proxy_internal_chunked',
].filter((name) => !/nothing|_internal|^(arg|cookie|http)_$/.test(name));
const variables: Generator = (rng) => {
  const names = rng.shuffle([...VARIABLES]).slice(0, 14);
  const text = names.map((name) => `${name}=$${name}`).join('|');
  return {
    server: `server_name CASE *.w.test ~^(?<re>.+)\\.re\\.test$; modern_browser gecko 1.0; ancient_browser Lynx; location / { add_header X-V "${text}" always; } location /r { return 200 "${text}|$re"; } location /d { set $args "a=new"; return 200 "$args|$arg_a|$query_string"; }`,
    requests: many(8, () =>
      req(
        rng,
        rng.pick(['GET', 'GET', 'POST', 'HEAD']),
        rng.pick([
          '/r',
          '/ten.txt',
          '/r/a%20b?a=%41&b',
          '/d?a=1',
          'http://abs.test/r?x',
          '/r??a=1',
          '/r?a=1&a=2',
          '/r?A=1',
          '/missing',
          '/r?',
          'http://abs.test',
          'HTTP://ABS.test:99/r',
        ]),
        some(
          rng,
          [
            'X-Y: 1',
            'X-Y: 2',
            'X-Forwarded-For: 9.9.9.9',
            'X-Forwarded-For: 8.8.8.8',
            'Cookie: c=1',
            'Cookie: x=2; c=3',
            'User-Agent: Mozilla/5.0 gecko/20200101',
            'User-Agent: Lynx',
            'User-Agent: Mozilla/4.0 (compatible; MSIE 6.0)',
            'Content-Type: a/b',
            'Host: a.w.test',
            'Host: x.re.test',
            'Host: CASE:123',
            'Host: CASE.',
          ],
          0.15,
        ),
        rng.bool(0.2) ? 'body text' : undefined,
      ),
    ),
  };
};

const bodies: Generator = (rng) => ({
  server: `${some(rng, ['client_max_body_size 10;', 'client_max_body_size 0;', 'client_body_buffer_size 4;', 'client_body_in_file_only clean;', 'client_body_in_single_buffer on;', 'error_page 413 /big;', 'large_client_header_buffers 2 1k; client_header_buffer_size 128;', 'ignore_invalid_headers off;', 'underscores_in_headers on;', 'lingering_close off;', 'keepalive_timeout 0;', 'chunked_transfer_encoding off;', 'keepalive_requests 1;', 'max_ranges 1;'], 0.2).join(' ')} location / { proxy_pass http://127.0.0.1:PORT_HTTP; proxy_http_version ${rng.pick(['1.0', '1.1'])}; ${rng.pick(['', 'proxy_request_buffering off;'])} } location /r { return 200 r; } location /big { return 200 big; } location /f { root FOLDER/html; }`,
  requests: many(12, () =>
    rng.pick([
      'POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello',
      'POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 20\r\n\r\nhellohellohellohello',
      'POST / HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;ext=1\r\nworld!\r\n0\r\n\r\n',
      'POST /r HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\nworld!\r\n0\r\nTrailer: x\r\n\r\n',
      'POST / HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'POST / HTTP/1.1\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc',
      'GET /r HTTP/1.1\r\n\r\nGET /r HTTP/1.1\r\nHost: CASE\r\nConnection: close\r\n\r\n',
      'POST /r HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /r2 HTTP/1.1\r\nHost: CASE\r\nConnection: close\r\n\r\n',
      'GET /r HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /r HTTP/1.0\r\nHost: CASE\r\n\r\n',
      `GET /r HTTP/1.1\r\nConnection: close\r\nX-Long: ${'y'.repeat(2000)}\r\n\r\n`,
      `GET /${'u'.repeat(1500)} HTTP/1.1\r\nConnection: close\r\n\r\n`,
      'GET /r HTTP/1.1\r\nConnection: close\r\nBad Header: 1\r\nX_Y: 1\r\n: none\r\n\r\n',
      'GET /r HTTP/1.1\r\nConnection: Close, x\r\n\r\n',
      'GET /f/ten.txt HTTP/1.1\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc',
      'POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: abc\r\n\r\n',
      'POST / HTTP/1.1\r\nConnection: close\r\n\r\n',
      'POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      'GET /\r\n',
      'get /r HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET r HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET /r HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: gzip\r\n\r\n',
      'HEAD /f/missing HTTP/1.1\r\nConnection: close\r\n\r\n',
      'POST /f/ten.txt HTTP/1.1\r\nConnection: close\r\nContent-Length: 30\r\n\r\n012345678901234567890123456789',
      'OPTIONS * HTTP/1.1\r\nConnection: close\r\n\r\n',
      'CONNECT h.test:80 HTTP/1.1\r\nConnection: close\r\n\r\n',
      'TRACE /r HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET /r HTTP/1.1\r\nConnection: close\r\n folded: x\r\n\r\n',
      'GET /r HTTP/3.0\r\nConnection: close\r\n\r\n',
      'GET /r HTTP/1.1 \r\nConnection: close\r\n\r\n',
      'GET  /r  HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET /r x HTTP/1.1\r\nConnection: close\r\n\r\n',
    ]),
  ),
});

const browsers: Generator = (rng) => ({
  http: `upstream u_CASE { server 127.0.0.1:PORT_HTTP; }`,
  server: `location /m { mirror /mir; ${rng.pick(['', 'mirror_request_body off;'])} proxy_pass http://u_CASE; } location /mir { internal; proxy_pass http://127.0.0.1:PORT_HTTP2$request_uri; ${rng.pick(['', 'proxy_pass_request_body off; proxy_set_header Content-Length "";'])} } location /gif { empty_gif; } location /stub { stub_status; } location /rand { random_index on; root FOLDER/html; } location /au { auth_request /ask; auth_request_set $w $upstream_http_x_w; add_header X-W "$w" always; proxy_pass http://u_CASE; } location /ask { internal; proxy_pass http://127.0.0.1:PORT_HTTP2; proxy_pass_request_body off; proxy_set_header Content-Length ""; proxy_set_header X-Orig $request_uri; } location /slice { slice 4; proxy_set_header Range $slice_range; proxy_pass http://u_CASE; }`,
  answers: [
    'HTTP/1.1 200 OK\r\nX-W: w1\r\n\r\n{NAME}',
    'HTTP/1.1 401 No\r\nWWW-Authenticate: x\r\n\r\n{NAME}',
    'HTTP/1.1 403 No\r\n\r\n',
    'HTTP/1.1 500 No\r\n\r\n',
    'CLOSE',
    'HTTP/1.1 206 Part\r\nContent-Range: bytes 0-3/10\r\nContent-Length: 4\r\n\r\n0123',
    'HTTP/1.1 204 N\r\n\r\n',
    'HTTP/1.1 302 F\r\nLocation: /l\r\n\r\n',
  ],
  requests: many(10, () =>
    req(
      rng,
      rng.pick(['GET', 'GET', 'HEAD', 'POST']),
      rng.pick(['/m/x', '/gif', '/rand/', '/au/1?q', '/slice', '/rand', '/ask']),
      [`X-Answer: ${rng.int(0, 7)}`, ...some(rng, ['Range: bytes=1-2', 'If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT'], 0.15)],
      rng.bool(0.2) ? 'bb' : undefined,
    ),
  ),
});

export const CONTENT_AREAS: Record<string, Generator> = {
  staticFiles,
  autoindex,
  tryFiles,
  errorPage,
  returns,
  rewriting,
  ifs,
  maps,
  headers,
  conditional,
  charset,
  sub,
  ssi,
  gzip,
  addition,
  access,
  links,
  userid,
  dav,
  limits,
  logs,
  variables,
  bodies,
  browsers,
};
