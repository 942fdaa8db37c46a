/** Handlers in Perl: the request object, variables, pages, bodies, limits, both interpreters. */

import { existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bodyOf, front, frontForEach, get, headerOf, ours, port, raw, statusOf } from '../support/front.ts';

frontForEach();

const PERL = '/usr/bin/perl';

/** @param inner  of the server */
const serve = async (inner: string, http = '') => {
  front.config(`${http} server { listen 127.0.0.1:${port}; ${inner} }`);
  await front.start();
};
const handler = (uri: string, body: string): string => `location ${uri} { perl 'sub { my $r = shift; ${body} }'; }\n`;
const engines = ['wasm', ...(existsSync(PERL) ? [PERL] : [])];

describe.skipIf(!ours).each(engines)('perl_engine %s', (engine) => {
  const http = `perl_engine ${engine};`;

  test('reads the request and its variables, and writes the response', async () => {
    await serve(
      `set $color blue;
       ${handler('/show', '$r->status(201); $r->header_out("X-One", "1"); $r->header_out("X-One", "2"); $r->send_http_header("text/x"); $r->print(join "|", $r->uri, $r->args, $r->request_method, $r->remote_addr, $r->header_in("X-Many"), $r->variable("color"), defined $r->variable("nope") ? 1 : 0, $r->unescape("a%20b%zz"), $r->filename); OK;')}
       ${handler('/set', '$r->variable("color", "red"); $r->variable("own", "kept"); $r->send_http_header; $r->print($r->variable("color"), $r->variable("own")); OK')}
       ${handler('/bytes', '$r->send_http_header; $r->print("\\x{e9}\\x{263a}", \\"ref", join "", map { chr } 0 .. 255); OK')}
       ${handler('/moved', '$r->internal_redirect("/show?x=1"); return OK')}
       ${handler('/named', '$r->internal_redirect("\\@named"); return OK')}
       location @named { return 200 "named"; }
       ${handler('/inject', '$r->header_out("X-Bad", "a\\r\\nX-Evil: 1"); $r->send_http_header; OK')}
       ${handler('/none', 'return HTTP_NOT_FOUND')}
       ${handler('/log', '$r->log_error(0, "noted"); $r->log_error(2, "missing"); $! = 110; $r->log_error($!, "late"); warn "careful\\n"; return 204')}`,
      http,
    );
    const shown = await get(port, '/show?a=b', 'X-Many: 1\nx-many: 2\n');
    expect(shown).toMatch(/^HTTP\/1\.1 201 .*Content-Type: text\/x\r.*X-One: 1\r\nX-One: 2\r/s);
    expect(bodyOf(shown)).toBe(`/show|a=b|GET|127.0.0.1|1, 2|blue|0|a bzz|${front.folder}/show`);
    expect(bodyOf(await get(port, '/set'))).toBe('redkept');
    const all = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');
    expect(bodyOf(await get(port, '/bytes'))).toBe(`${Buffer.from('é☺').latin1Slice()}ref${all}`);
    expect(bodyOf(await get(port, '/moved'))).toContain('/show|x=1|');
    expect(bodyOf(await get(port, '/named'))).toBe('named');
    expect(statusOf(await get(port, '/inject'))).toBe(500);
    expect(statusOf(await get(port, '/none'))).toBe(404);
    expect(statusOf(await get(port, '/log'))).toBe(204);
    const log = front.read('error.log');
    expect(log).toMatch(/\[error\].*perl: noted,.*\[warn\].*perl: careful,/s);
    expect(log).toContain('perl: missing (2: No such file or directory), client:');
    expect(log).toContain('perl: late (110: Connection timed out), client:');
  });

  test('bodies are read and timers run without blocking other requests', async () => {
    await serve(
      `client_body_buffer_size 1k;
       ${handler('/body', 'return HTTP_BAD_REQUEST unless $r->has_request_body(sub { my $r = shift; $r->send_http_header; $r->print(defined $r->request_body ? "memory " . $r->request_body : -s $r->request_body_file ? "file" : "none"); OK }); OK')}
       ${handler('/sleep', '$r->sleep(300, sub { my $r = shift; $r->send_http_header; $r->print("slept"); OK }); OK')}
       ${handler('/quick', '$r->send_http_header; $r->print("quick"); OK')}`,
      http,
    );
    const slept = get(port, '/sleep');
    expect(bodyOf(await get(port, '/quick'))).toBe('quick');
    expect(bodyOf(await slept)).toBe('slept');
    expect(statusOf(await get(port, '/body'))).toBe(400);
    const post = (body: string) => raw(port, `POST /body HTTP/1.0\nContent-Length: ${body.length}\n\n${body}`);
    expect(bodyOf(await post('hello'))).toBe('memory hello');
    expect(bodyOf(await post('x'.repeat(5000)))).toBe('file');
    // A body that has not arrived yet occupies neither the interpreter nor the event loop.
    const slow = connect(port, '127.0.0.1');
    slow.write('POST /body HTTP/1.0\nContent-Length: 5\n\nhe');
    const received = new Promise<string>((resolve) => slow.once('data', (data) => resolve(data.toString('latin1'))));
    expect(bodyOf(await get(port, '/quick'))).toBe('quick');
    slow.write('llo');
    expect(bodyOf(await received)).toBe('memory hello');
    slow.destroy();
  });

  test('a script that never ends does not delay requests without Perl', async () => {
    await serve(
      `${handler('/hang', '1 while 1')} ${handler('/fine', '$r->send_http_header; $r->print("fine"); OK')} location /plain { return 200 plain; }`,
      `${http} perl_timeout 1s;`,
    );
    const order: string[] = [];
    const note = async (uri: string): Promise<void> => void order.push(`${uri} ${statusOf(await get(port, uri))}`);
    await Promise.all([note('/hang'), (async () => [await note('/plain'), await note('/plain')])(), note('/fine')]);
    expect(order).toEqual(['/plain 200', '/plain 200', '/hang 500', '/fine 200']);
  });

  test('the response to HEAD has a header only, also if the handler prints', async () => {
    await serve(
      `${handler('/prints', '$r->header_out("Content-Length", 3); $r->send_http_header; $r->print("abc"); OK')}
       ${handler('/asks', '$r->send_http_header; return OK if $r->header_only; $r->print("abc"); OK')}`,
      http,
    );
    const head = (uri: string) => raw(port, `HEAD ${uri} HTTP/1.1\nHost: x\nConnection: close\n\n`);
    const prints = await head('/prints');
    expect([statusOf(prints), headerOf(prints, 'Content-Length'), bodyOf(prints)]).toEqual([200, '3', '']);
    const asks = await head('/asks');
    expect([statusOf(asks), bodyOf(asks)]).toEqual([200, '']);
  });

  test('supports variables, required modules and pages', async () => {
    mkdirSync(path.join(front.folder, 'lib'));
    front.write(
      'lib/Shop.pm',
      'package Shop; use nginx; my $n = 0; sub count { return ++$n } sub sum { my $r = shift; $r->print(join "+", @_) } sub show { my $r = shift; $r->send_http_header; $r->print("tier ", $r->variable("tier")); return OK } 1;',
    );
    front.write(
      'page.html',
      '[<!--#perl sub="Shop::sum" arg="1" arg="$arg_a" -->]<!--#perl sub="Shop::none" -->.' +
        '<!--#perl sub="sub { my $r = shift; $r->print(scalar reverse shift); }" arg="$arg_a" -->,<!--#perl sub="sub { my $x = ; }" -->.',
    );
    await serve(
      `location /v { return 200 "$tier $tier $named"; }
       location /show { perl Shop::show; }
       location /page.html { ssi on; }`,
      `${http} perl_modules lib; perl_require Shop.pm;
       perl_set $tier 'sub { my $r = shift; return $r->variable("arg_tier") . $r->header_in("Host") }'; perl_set $named Shop::count;`,
    );
    expect(bodyOf(await get(port, '/v?tier=gold,'))).toBe('gold,localhost gold,localhost 1');
    expect(bodyOf(await get(port, '/show?tier=x'))).toBe('tier xlocalhost');
    expect(bodyOf(await get(port, '/page.html?a=34'))).toBe('[1+34].43,.');
    expect(front.read('error.log')).toContain('call_sv("Shop::none") failed: "Undefined subroutine');
    expect(front.read('error.log')).toContain('call_sv("sub { my $x = ; }") failed: "syntax error at');
  });

  test('a script that dies, hangs or grows causes a 500, and the next request is served', async () => {
    await serve(
      `${handler('/die', 'die "broken"')} ${handler('/exit', 'exit 1')} ${handler('/hang', '1 while 1')}
       ${handler('/grow', 'my @all; push @all, "x" x 1e6 while 1')} ${handler('/late', '$r->send_http_header; $r->print("part"); die "late"')}
       ${handler('/fine', '$r->send_http_header; $r->print("fine"); OK')} location /v { return 200 "[$slow]"; }`,
      `${http} perl_timeout 3s; perl_memory 100m; perl_set $slow 'sub { 1 while 1 }';`,
    );
    for (const uri of ['/die', '/exit', '/hang', '/grow']) expect(statusOf(await get(port, uri)), uri).toBe(500);
    expect(bodyOf(await get(port, '/fine'))).toBe('fine');
    expect(bodyOf(await get(port, '/v'))).toBe('[]');
    expect(bodyOf(await get(port, '/fine'))).toBe('fine');
    expect(bodyOf(await get(port, '/late'))).toBe('part');
    expect(front.read('error.log')).toMatch(/failed: "broken at .*took longer than 3000 ms/s);
  });

  test('refuses handlers that do not compile', async () => {
    front.config(`${http} server { listen 127.0.0.1:${port}; location / { perl 'sub { my $x = ; }'; } }`);
    await expect(front.start()).rejects.toThrow(/eval_pv\("sub \{ my \$x = ; \}"\) failed: "syntax error/);
  });
});

describe.skipIf(!ours)('the WebAssembly Perl', () => {
  test('reads files, writes none, and names missing features', async () => {
    front.write('data.txt', 'content');
    await serve(
      `${handler('/read', `open my $f, "<", "${front.folder}/data.txt" or die; $r->send_http_header; $r->print(<$f>); OK`)}
       ${handler('/write', `open my $f, ">", "${front.folder}/new.txt" or die; print $f "x"; close $f or die "close: $!"; 204`)}
       ${handler('/over', `open my $f, "+<", "${front.folder}/data.txt" or die; print $f "X"; close $f or die "close: $!"; 204`)}
       ${handler('/socket', 'require Socket; 204')}`,
    );
    expect(bodyOf(await get(port, '/read'))).toBe('content');
    for (const uri of ['/write', '/over', '/socket']) expect(statusOf(await get(port, uri)), uri).toBe(500);
    expect(front.read('data.txt')).toBe('content');
    expect(existsSync(path.join(front.folder, 'new.txt'))).toBe(false);
    expect(front.read('error.log')).toMatch(/cannot write files.*"perl_engine" selects another perl.*Can't locate Socket.*"perl_engine"/s);
  });

  test('the type of a response selects its filters, and Content-Length enables ranges', async () => {
    await serve(
      `gzip on; gzip_min_length 1; gzip_types text/plain;
       ${handler('/plain', '$r->send_http_header("text/plain"); return OK if $r->header_only; $r->print("DA"); $r->flush; $r->print("TA"); OK')}
       ${handler('/range', '$r->header_out("Content-Length", "42"); $r->allow_ranges; $r->send_http_header("a/b"); $r->print("x" x 42); OK')}
       ${handler('/file', '$r->send_http_header("a/b"); $r->sendfile("$0file") ; OK').replace('$0file', `${front.folder}/part.txt", 2, 3); $r->sendfile("${front.folder}/part.txt`)}`,
    ).catch(() => {});
    front.write('part.txt', '0123456789');
    expect(headerOf(await get(port, '/plain', 'Accept-Encoding: gzip\n'), 'Content-Encoding')).toBe(undefined);
    expect(
      headerOf(await raw(port, 'GET /plain HTTP/1.1\nHost: x\nConnection: close\nAccept-Encoding: gzip\n\n'), 'Content-Encoding'),
    ).toBe('gzip');
    expect(bodyOf(await raw(port, 'HEAD /plain HTTP/1.0\n\n'))).toBe('');
    const ranged = await get(port, '/range', 'Range: bytes=0-1\n');
    expect([statusOf(ranged), bodyOf(ranged)]).toEqual([206, 'xx']);
    expect(bodyOf(await get(port, '/file'))).toBe('2340123456789');
  });
});
