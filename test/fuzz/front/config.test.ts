/** Mutated configurations: each is accepted, or refused with file and line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, parseConfig } from '../../../src/front/config/syntax.ts';
import { buildHttp } from '../../../src/front/http/build/build.ts';
import { LogTargets } from '../../../src/front/log/targets.ts';
import { NoEventsError, readMain } from '../../../src/front/process/main-conf.ts';
import { buildStream } from '../../../src/front/stream/build.ts';
import { random } from './random.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gannet-conf-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SAMPLE = `worker_processes 2; error_log stderr info; pid x.pid;
events { worker_connections 64; }
http {
  log_format main escape=json '{"a":"$remote_addr","b":"\${args}"}';
  map $uri $m { hostnames; default 0; .example.com 1; "~^/(?<id>\\\\d+)$" $id; volatile; }
  geo $g { default 0; 10.0.0.0/8 1; ::1 2; }
  geo $arg_ip $h { ranges; default 0; 127.0.0.1-127.0.0.9 2; }
  split_clients "$remote_addr x" $s { 50% a; * b; }
  limit_req_zone $binary_remote_addr zone=r:1m rate=10r/s;
  limit_conn_zone $binary_remote_addr zone=c:1m;
  proxy_cache_path cache levels=1:2 keys_zone=k:1m inactive=10m max_size=1g use_temp_path=off;
  upstream u { zone u 64k; server 127.0.0.1:8080 weight=5 max_fails=3 fail_timeout=30s; server unix:/tmp/x backup; least_conn; keepalive 8; }
  server {
    listen 127.0.0.1:80 default_server; listen [::]:8080 backlog=100; server_name a.example *.b ~^(?<n>.+)$ "";
    access_log off; root html; index a.html $m.html; gzip on; gzip_types text/css; add_header X "$m \\"q\\"" always;
    location = / { return 301 /x$is_args$args; }
    location ^~ /p/ { proxy_pass http://u/q/; proxy_set_header H $http_host; proxy_cache k; proxy_cache_valid 200 1h; proxy_cache_key "$uri"; }
    location ~* \\\\.(php|html)$ { fastcgi_pass 127.0.0.1:9000; fastcgi_param A $document_root; fastcgi_split_path_info ^(.+)(/.*)$; }
    location /l { limit_req zone=r burst=5 nodelay; limit_conn c 3; limit_rate 10k; satisfy any; allow 10.0.0.0/8; deny all; error_page 404 =200 /e; }
    location @n { if ($arg_a ~ "^b") { set $v 1; break; } rewrite ^/(.*)$ /$1 last; try_files $uri =404; }
  }
}
`;

const STREAM_SAMPLE = `events { }
stream {
  log_format l "$protocol $status $upstream_addr $m $k $n"; access_log off; resolver 127.0.0.1:53 valid=10s; resolver_timeout 1s;
  map $remote_addr $m { default 0; 127.0.0.1 1; "~^(?<id>10)" $id; } geo $g { default 0; 10.0.0.0/8 1; }
  keyval_zone zone=z:32k timeout=1h type=ip; keyval $remote_addr $k zone=z;
  num_map $remote_port $n { default a; 80 b; 100-200 c; <=50 d; }
  limit_conn_zone $binary_remote_addr zone=c:1m; mqtt_buffers 10 1k; preread_timeout 5s; health_check_timeout 1s;
  match ok { send "PING\\x0d"; expect ~ "^PO"; }
  upstream u { zone u 64k; server 127.0.0.1:81 weight=2 max_fails=3 fail_timeout=5s slow_start=10s; server unix:/tmp/x backup; least_conn; }
  upstream r { zone r 64k; server 127.0.0.1:82 max_conns=5; random two least_time=first_byte; }
  server { listen 127.0.0.1:9000 backlog=10; listen [::1]:9000; status_zone s; allow 127.0.0.0/8; deny all; limit_conn c 5;
    proxy_pass u; proxy_timeout 1m; proxy_upload_rate 10k; proxy_protocol on; proxy_half_close on; health_check interval=2s match=ok; }
  server { listen 9001-9003 proxy_protocol; set_real_ip_from 10.0.0.0/8; ssl_preread on; proxy_pass $g:$n; }
  server { listen 9004 udp; proxy_pass r; proxy_responses 1; proxy_requests 2; }
  server { listen 9005; mqtt on; mqtt_preread on; mqtt_set_connect clientid "$remote_addr"; proxy_pass 127.0.0.1:83; }
  server { listen 9006; set $v "x$m"; return "$v \\"q\\""; }
}
`;

const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 300);

const PIECES = [
  '{',
  '}',
  ';',
  '"',
  "'",
  '$',
  '${',
  '\\',
  '#',
  '~',
  '(',
  ')',
  '[',
  '*',
  '\0',
  '\n',
  ' ',
  '\xff',
  'location /',
  'if',
  '0',
  '-1',
  '99999999999999999999',
  'on',
];

function mutate(text: string, rng: (below: number) => number): string {
  let out = text;
  for (let n = rng(4); n >= 0; n--) {
    const at = rng(out.length);
    const kind = rng(4);
    if (kind === 0) out = out.slice(0, at) + PIECES[rng(PIECES.length)] + out.slice(at);
    else if (kind === 1) out = out.slice(0, at) + out.slice(at + 1 + rng(20));
    else if (kind === 2) out = out.slice(0, at) + String.fromCharCode(rng(256)) + out.slice(at + 1);
    else {
      const from = rng(out.length);
      out = out.slice(0, at) + out.slice(from, from + rng(60)) + out.slice(at);
    }
  }
  return out;
}

async function read(text: string): Promise<void> {
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, text, 'latin1');
  const { nodes } = parseConfig(file, `${folder}/`);
  const logs = new LogTargets();
  const main = readMain(
    nodes,
    logs,
    (name) => path.resolve(folder, name),
    () => {},
  );
  const input = {
    paths: { prefix: `${folder}/`, conf: `${folder}/` },
    logs,
    mainLogs: [],
    inherited: new Map(),
    eventLoops: 1,
    warn: () => {},
  };
  if (main.http) await buildHttp({ ...input, node: main.http });
  if (main.stream) await buildStream({ ...input, node: main.stream });
}

describe('fuzz: configurations', () => {
  const samples = { http: SAMPLE, stream: STREAM_SAMPLE };

  test.each(['http', 'stream'] as const)('the sample of %s itself is valid', (block) => read(samples[block]));

  test.each(['http', 'stream'] as const)(
    'mutations of %s are accepted or refused',
    async (block) => {
      let taken = 0;
      for (let seed = 1; seed <= ROUNDS; seed++) {
        const text = mutate(samples[block], random(seed));
        try {
          await read(text);
          taken++;
        } catch (error) {
          if (!(error instanceof ConfigError) && !(error instanceof NoEventsError))
            throw new Error(`seed ${seed}: ${(error as Error).stack ?? error}`);
          expect((error as Error).message, `seed ${seed}`).not.toMatch(/undefined|\[object|NaN/);
        }
      }
      expect(taken).toBeGreaterThan(0);
      expect(taken).toBeLessThan(ROUNDS);
    },
    60_000,
  );
});
