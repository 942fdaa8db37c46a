/** `gannet front check`: all errors at once, with places, excerpts and hints; directives without effect. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { paintFor } from '../../../../src/common/terminal/paint.ts';
import { type CheckResult, checkConfig } from '../../../../src/front/commands/check.ts';
import { checkReport } from '../../../../src/front/commands/check-report.ts';
import { allDirectives } from '../../../../src/front/commands/directive-index.ts';
import { SAME_RESULT } from '../../../../src/front/commands/no-effect.ts';
import { placesOf } from '../../../../src/front/process/cycle.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gannet-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function check(text: string): Promise<CheckResult> {
  writeFileSync(path.join(folder, 'nginx.conf'), text);
  const options = { prefix: folder, config: 'nginx.conf', globals: '', test: true, dump: false, quiet: true };
  return checkConfig(options, placesOf(options));
}

/** `LINE MESSAGE` of each problem. */
const linesOf = ({ problems }: CheckResult): string[] => problems.map(({ place, message }) => `${place?.line ?? '-'} ${message}`);

/** The hint about a configuration with one error. */
async function hint(text: string): Promise<string | null> {
  const { problems } = await check(text);
  expect(problems).toHaveLength(1);
  return problems[0].hint;
}
const inHttp = (text: string): string => `events {}\nhttp {\n${text}\n}\n`;
const inServer = (text: string): string => inHttp(`server { listen 127.0.0.1:25090;\n${text}\n}`);

describe('errors', () => {
  test('of all directives and blocks are reported at once', async () => {
    const result = await check(
      `worker_proceses 2;\nevents { worker_connections many; }\nhttp {\n client_max_body_size 10mb;\n server {\n  proxy_passs http://b;\n  location / { root /a /b;\n gzip yes; } }\n}\nstream { server { listen 25091; proxy_timeout x; } }\n`,
    );
    expect(linesOf(result)).toEqual([
      '1 unknown directive "worker_proceses"',
      '2 invalid number "many"',
      '4 "client_max_body_size" directive invalid value',
      '6 unknown directive "proxy_passs"',
      '7 invalid number of arguments in "root" directive',
      '8 invalid value "yes" in "gzip" directive, it must be "on" or "off"',
      '10 "proxy_timeout" directive invalid value',
    ]);
  });

  test('of one block do not hide those of the next', async () => {
    const result = await check(
      'events {}\nhttp { server { listen 127.0.0.1:25090; return 200 $nothing; } }\nmail { server { listen 25092; } }\n',
    );
    expect(linesOf(result)).toEqual(['2 unknown "nothing" variable', '3 unknown mail protocol for server']);
  });

  test('of syntax have their line', async () => {
    expect(linesOf(await check('events {}\nhttp {\n server {\n}\n'))).toEqual(['5 unexpected end of file, expecting "}"']);
  });

  test('about files have the line that names the file', async () => {
    const result = await check(inServer('listen 127.0.0.1:25091 ssl;\nssl_certificate no.pem;\nssl_certificate_key no.key;'));
    expect(result.problems.map(({ place }) => place?.line)).toEqual([5]);
    expect(result.problems[0].message).toContain('cannot load certificate');
  });

  test('a missing file is an error without a place', async () => {
    const options = { prefix: folder, config: 'none.conf', globals: '', test: true, dump: false, quiet: true };
    const { problems } = await checkConfig(options, placesOf(options));
    expect(problems).toMatchObject([{ level: 'error', place: null, hint: expect.stringContaining('does not exist') }]);
  });
});

describe('hints', () => {
  test.each([
    ['a mistyped directive', inServer('proxy_passs http://b;'), 'did you mean "proxy_pass"? It belongs in location'],
    ['a directive in the wrong place', inServer('worker_connections 5;'), 'it belongs in events'],
    [
      'a missing semicolon',
      inHttp('keepalive_timeout 65\nserver_tokens off;'),
      '"server_tokens" is a directive: a ";" is missing before it',
    ],
    ['the number of arguments', inHttp('proxy_buffers 4;'), 'the syntax is: proxy_buffers VALUE VALUE;'],
    ['a size', inHttp('client_max_body_size 10mb;'), 'a size is a number of bytes with k or m'],
    ['a time', inHttp('send_timeout 1y;'), 'the default is send_timeout 60s;'],
    ['a flag', inHttp('gzip yes;'), 'write on or off'],
    ['a mistyped variable', inServer('return 200 $remote_adr;'), 'did you mean $remote_addr'],
    [
      'a variable of another block',
      'events {}\nstream { server { listen 25093; return $request_uri; } }',
      'exists in another block only: http and stream',
    ],
    ['a zone that nothing defines', inServer('limit_req zone=a;'), 'limit_req_zone $binary_remote_addr zone=a:10m'],
    ['a log format', inServer('access_log x.log big;'), 'log_format big'],
    ['a condition', inServer('if ($host = a and $uri = b) { return 404; }'), 'combine values with map'],
    ['a refused module', inHttp('otel_trace on;'), 'docs/front/differences.md'],
    ['Lua', inServer('content_by_lua_block { ngx.say("}") }'), 'docs/front/differences.md'],
    ['no events', 'http {}\n', 'add: events { }'],
  ])('%s', async (_, text, expected) => {
    expect(await hint(text)).toContain(expected);
  });
});

describe('directives without effect', () => {
  test('are listed with their place, with or without a warning', async () => {
    const { problems, ineffective } = await check(
      'events { multi_accept on; }\nhttp {\n sendfile on;\n types_hash_max_size 2048;\n server { listen 127.0.0.1:25090 reuseport;\n directio 4m; } }\n',
    );
    expect(problems).toEqual([]);
    expect(ineffective.map(({ line, name }) => `${line} ${name}`)).toEqual([
      '1 multi_accept',
      '3 sendfile',
      '4 types_hash_max_size',
      '5 listen ... reuseport',
      '6 directio',
    ]);
  });

  test('are known by name', async () => {
    const names = new Set((await allDirectives()).map(({ name }) => name));
    expect(Object.keys(SAME_RESULT).filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('the report', () => {
  test('shows the line with its word underlined, a hint and a summary', async () => {
    const result = await check(inHttp('  log_format a\n    one\n    $remote_adr;'));
    expect(checkReport(result, folder, paintFor({}))).toBe(
      `nginx.conf:5: error: unknown "remote_adr" variable
  4 |     one
  5 |     $remote_adr;
    |      ^^^^^^^^^^
  hint: did you mean $remote_addr? Variables of your own are defined by set, map, geo or a named group of a regular expression

1 error, 0 warnings, 0 directives without effect
`,
    );
  });

  test('replaces control characters', async () => {
    expect(checkReport(await check(inHttp('\u001b[31mred;')), folder, paintFor({}))).not.toContain('\u001b');
  });

  test('is coloured on terminals only', async () => {
    const result = await check(inHttp('nonsense;'));
    expect(checkReport(result, folder, paintFor({ isTTY: true }, {}))).toContain('\u001b[31merror\u001b[39m');
    expect(checkReport(result, folder, paintFor({ isTTY: true }, { NO_COLOR: '1' }))).not.toContain('\u001b');
  });
});

test('checking creates no file', async () => {
  await check(inServer('access_log logs/a.log; error_log logs/e.log; client_body_temp_path temp;'));
  expect(readdirSync(folder)).toEqual(['nginx.conf']);
  expect(existsSync(path.join(folder, 'logs'))).toBe(false);
  expect(readFileSync(path.join(folder, 'nginx.conf'), 'utf8')).toContain('logs/a.log');
});
