/** The life of the processes: reloads under load, binary upgrades, workers that are killed, shutdowns that wait for requests under way. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, front, frontForEach, get, ours, port, raw, serveRaw, statusOf } from '../support/front.ts';

frontForEach();

const pidOf = (name: string) => Number(front.read(name));
const workers = () => [...front.read('error.log').matchAll(/start worker process (\d+)/g)].map((m) => Number(m[1]));
const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('processes', () => {
  test.skipIf(!ours)('applies limits and processors to workers', async () => {
    front.config(
      `server { listen 127.0.0.1:${port}; return 200 $pid; }`,
      'worker_rlimit_nofile 3210; worker_rlimit_core 0; worker_cpu_affinity 01; thread_pool default threads=7;',
    );
    await front.start();
    const proc = `/proc/${bodyOf(await get(port, '/'))}`;
    expect(readFileSync(`${proc}/limits`, 'utf8')).toMatch(/^Max open files +3210 +3210/m);
    expect(readFileSync(`${proc}/status`, 'utf8')).toMatch(/^Cpus_allowed_list:\s+0$/m);
    expect(readFileSync(`${proc}/environ`, 'utf8')).toContain('UV_THREADPOOL_SIZE=7');
  });

  test('a reload loses no request and no connection', async () => {
    const config = (n: number) =>
      front.config(`server { listen 127.0.0.1:${port}; keepalive_requests 100000; location / { return 200 "generation ${n}"; } }`);
    config(0);
    await front.start();
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const seen = new Set<string>();
    const failures: string[] = [];
    let running = true;
    // an idle connection may be closed while a request is on its way to it: a client repeats it then (RFC 9112, section 9.5), and may find
    // that the next idle one is closed, too; `reusedSocket` is false for requests that had to wait for a socket
    const used = new WeakSet<Socket>();
    const ask = (): Promise<void> =>
      new Promise((resolve) => {
        const req = request({ port, host: '127.0.0.1', agent }, (res) => {
          used.add(res.socket);
          let text = '';
          res
            .on('data', (data) => (text += data))
            .on('end', () => {
              seen.add(text);
              resolve();
            });
          res.on('error', (error) => {
            failures.push(`cut: ${error.message}`);
            resolve();
          });
        });
        req.on('error', (error) => {
          if (req.socket && used.has(req.socket)) resolve(ask());
          else {
            failures.push(error.message);
            resolve();
          }
        });
        req.end();
      });
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (running) await ask();
      }),
    );
    for (let n = 1; n <= 3; n++) {
      config(n);
      front.signal('SIGHUP');
      await front.until(() => seen.has(`generation ${n}`) && front.read('error.log').match(/exited with code 0/g)?.length === n);
    }
    running = false;
    await load;
    agent.destroy();
    expect(failures).toEqual([]);
    expect(seen.size).toBe(4);
  });

  test.skipIf(process.getuid?.() !== 0)('workers of another user write to folders and logs, also after the logs were moved', async () => {
    front.config(
      `proxy_cache_path cache keys_zone=kept:1m; server { listen 127.0.0.1:${port}; client_body_buffer_size 4;
         location /back { return 200 stored; } location / { proxy_cache kept; proxy_cache_valid 1m; proxy_pass http://127.0.0.1:${port}/back; } }`,
    );
    front.write('nginx.conf', front.read('nginx.conf').replace('user root;', 'user nobody nogroup;'));
    chmodSync(front.folder, 0o755);
    await front.start();
    const post = 'POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 9\r\n\r\nlong body';
    expect(bodyOf(await raw(port, post))).toBe('stored');
    expect(bodyOf(await get(port, '/b'))).toBe('stored');
    expect(readdirSync(path.join(front.folder, 'cache')).length).toBe(1);
    for (const name of ['access.log', 'error.log']) renameSync(path.join(front.folder, name), path.join(front.folder, `${name}.1`));
    front.signal('SIGUSR1');
    await front.until(() => existsSync(path.join(front.folder, 'access.log')));
    while (!front.read('access.log').includes('GET /c ')) await get(port, '/c');
  });

  test('a log that cannot be opened fails one reload, not the next', async () => {
    const config = (log: string, text: string) =>
      front.config(`access_log ${log}; server { listen 127.0.0.1:${port}; return 200 ${text}; }`);
    const path = (name: string) => `${front.folder}/${name}`;
    config(path('one.log'), 'one');
    await front.start();
    config(path('nowhere/two.log'), 'two');
    front.signal('SIGHUP');
    await expect.poll(() => front.read('error.log')).toContain('nowhere/two.log" failed (2: No such file or directory)');
    config(path('three.log'), 'three');
    front.signal('SIGHUP');
    await expect.poll(async () => bodyOf(await get(port, '/'))).toBe('three');
    expect(existsSync(path('three.log'))).toBe(true);
  });

  test('a reload lets the old worker finish its requests; a killed worker is replaced', async () => {
    const slowPort = await freePort();
    const held: Socket[] = [];
    const slow = await serveRaw(slowPort, (text, socket) => text.includes('\r\n\r\n') && held.push(socket));
    front.config(
      `server { listen 127.0.0.1:${port}; location /slow { proxy_pass http://127.0.0.1:${slowPort}; } location / { return 200 old; } }`,
    );
    await front.start();
    const began = get(port, '/slow');
    await front.until(() => held.length === 1);
    const [old] = workers();
    front.config(`server { listen 127.0.0.1:${port}; location / { return 200 new; } }`);
    front.signal('SIGHUP');
    await front.until(() => /gracefully shutting down/.test(front.read('error.log')));
    while (bodyOf(await get(port, '/')) !== 'new');
    expect(alive(old)).toBe(true);
    held[0].end('HTTP/1.0 200 OK\r\n\r\nfinished');
    expect(bodyOf(await began)).toBe('finished');
    await front.until(() => !alive(old));
    const killed = workers().at(-1)!;
    process.kill(killed, 'SIGKILL');
    await front.until(() => workers().at(-1) !== killed && !alive(killed));
    let status = 0;
    while (status !== 200) status = await get(port, '/').then(statusOf, () => 0);
    expect(existsSync(path.join(front.folder, 'nginx.pid'))).toBe(true);
    slow.close();
  });

  // nginx refuses it where its parent is not init
  test.skipIf(!ours)('a new binary takes over the sockets, the old one ends or resumes', async () => {
    front.config(`server { listen 127.0.0.1:${port}; location / { return 200 $pid; } }`);
    await front.start();
    const master = pidOf('nginx.pid');
    const before = Number(bodyOf(await get(port, '/')));
    front.signal('SIGUSR2');
    await front.until(() => existsSync(path.join(front.folder, 'nginx.pid.oldbin')) && existsSync(path.join(front.folder, 'nginx.pid')));
    expect(pidOf('nginx.pid.oldbin')).toBe(master);
    const successor = pidOf('nginx.pid');
    expect(successor).not.toBe(master);
    // both serve; once the old workers get the signal to stop, only the new ones do
    process.kill(master, 'SIGWINCH');
    await front.until(() => !alive(before));
    const now = Number(bodyOf(await get(port, '/')));
    expect(now).not.toBe(before);
    // back to the old binary: it starts workers on a reload, and the new one ends
    process.kill(master, 'SIGHUP');
    await front.until(() => workers().length === 3);
    process.kill(successor, 'SIGQUIT');
    await front.until(() => !alive(successor) && !existsSync(path.join(front.folder, 'nginx.pid.oldbin')));
    expect(pidOf('nginx.pid')).toBe(master);
    const again = Number(bodyOf(await get(port, '/')));
    expect([before, now]).not.toContain(again);
    // and once more, this time permanently
    front.signal('SIGUSR2');
    await front.until(() => existsSync(path.join(front.folder, 'nginx.pid.oldbin')) && existsSync(path.join(front.folder, 'nginx.pid')));
    const heir = pidOf('nginx.pid');
    expect(await front.stop()).toBe(0);
    expect(alive(heir)).toBe(true);
    const last = Number(bodyOf(await get(port, '/')));
    expect(last).not.toBe(again);
    process.kill(heir, 'SIGQUIT');
    await front.until(() => !alive(heir));
  });

  test('a shutdown refuses new connections, and serves those that were accepted', async () => {
    front.config(`server { listen 127.0.0.1:${port}; return 200 served; }`, 'worker_processes 1;');
    await front.start();
    const fresh = connect(port, '127.0.0.1');
    await new Promise((resolve) => fresh.once('connect', resolve));
    // a request that was served shows that the other was accepted before it
    expect(bodyOf(await get(port, '/'))).toBe('served');
    const ended = front.stop();
    const refused = () =>
      new Promise<boolean>((resolve) => {
        const probe = connect(port, '127.0.0.1', () => resolve(false));
        probe.on('error', () => resolve(true));
        probe.on('connect', () => probe.destroy());
      });
    while (!(await refused())) await new Promise((resolve) => setTimeout(resolve, 20));
    let answer = '';
    fresh.on('data', (data) => (answer += data.toString('latin1')));
    fresh.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await ended).toBe(0);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK.*Connection: close.*served$/s);
  });

  test.skipIf(!ours)('a reload requested during another reload is not lost', async () => {
    const config = (n: number) => front.config(`server { listen 127.0.0.1:${port}; return 200 "generation ${n}"; }`);
    config(0);
    await front.start();
    for (let n = 1; n <= 3; n++) {
      config(n);
      front.signal('SIGHUP');
      // the next one comes while the new worker starts
      if (n < 3) await front.until(() => workers().length > n);
    }
    while (bodyOf(await get(port, '/')) !== 'generation 3') await new Promise((resolve) => setTimeout(resolve, 20));
  });

  // the master reads the pipe while the signal comes, so the reload goes on after it
  test.each(['SIGQUIT', 'SIGTERM'] as const)('a reload under way when %s comes ends without an alert', async (signal) => {
    front.write('late.conf', '');
    front.config(`include late.conf; server { listen 127.0.0.1:${port}; return 200; }`);
    await front.start();
    const [late, master] = [path.join(front.folder, 'late.conf'), pidOf('nginx.pid')];
    rmSync(late);
    execFileSync('mkfifo', [late]);
    front.signal('SIGHUP');
    await front.until(() => front.read('error.log').includes('reconfiguring'));
    front.signal(signal);
    await writeFile(late, '#');
    await front.until(() => !alive(master));
    expect(front.read('error.log')).not.toMatch(/\[(alert|emerg)\]/);
    expect(existsSync(path.join(front.folder, 'nginx.pid'))).toBe(false);
  });

  test.skipIf(!ours)('a worker that cannot be replaced logs the reason; the next reload starts one', async () => {
    front.write('handler.mjs', 'export default { hi: (r) => r.return(200, "hi") };');
    front.config(
      `js_import main from ${front.folder}/handler.mjs; server { listen 127.0.0.1:${port}; location / { js_content main.hi; } }`,
    );
    await front.start();
    const [first] = workers();
    front.write('handler.mjs', 'throw new Error("no such host");');
    process.kill(first, 'SIGKILL');
    await front.until(() => front.read('error.log').includes('[emerg]'));
    expect(front.read('error.log')).toMatch(/\[emerg\].*no such host/);
    expect(front.read('error.log')).toMatch(/\[alert\].*exited with fatal code 2 and cannot be respawned/);
    front.write('handler.mjs', 'export default { hi: (r) => r.return(200, "back") };');
    front.signal('SIGHUP');
    let body = '';
    while (body !== 'back') body = bodyOf(await get(port, '/').catch(() => ''));
  });

  test('QUIT waits for requests in progress and closes idle connections; TERM does not wait', async () => {
    const slowPort = await freePort();
    const held: Socket[] = [];
    const slow = await serveRaw(slowPort, (text, socket) => text.includes('\r\n\r\n') && held.push(socket));
    front.config(
      `server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${slowPort}; } location /fast { return 200; } }`,
    );
    await front.start();
    const idle = connect(port, '127.0.0.1');
    const idleClosed = new Promise((resolve) => idle.on('close', resolve));
    idle.write('GET /fast HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => idle.once('data', resolve));
    const began = raw(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await front.until(() => held.length === 1);
    const stopped = front.stop();
    await idleClosed;
    held[0].end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone');
    const reply = await began;
    expect(reply).toMatch(/Connection: close/);
    expect(bodyOf(reply)).toBe('done');
    expect(await stopped).toBe(0);
    expect(existsSync(path.join(front.folder, 'nginx.pid'))).toBe(false);

    await front.start();
    const cut = get(port, '/');
    await front.until(() => held.length === 2);
    const master = pidOf('nginx.pid');
    front.signal('SIGTERM');
    expect(bodyOf(await cut)).not.toBe('done');
    await front.until(() => !alive(master));
    slow.close();
  });

  test.skipIf(!ours)('worker_connections: a connection beyond the limit is closed, and one that ends makes room', async () => {
    front.config(`server { listen 127.0.0.1:${port}; location / { return 200 ok; } }`, 'events { worker_connections 2; }');
    await front.start();
    const open = () =>
      new Promise<Socket>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => resolve(socket));
        socket.on('error', () => {});
      });
    const [first, second] = [await open(), await open()];
    expect(await raw(port, 'GET / HTTP/1.0\r\n\r\n').catch(() => '')).toBe('');
    expect(front.read('error.log')).toMatch(/\[alert\].*2 worker_connections are not enough/);
    first.destroy();
    let status = 0;
    while (status !== 200) status = await get(port, '/').then(statusOf, () => 0);
    // the shutdown would wait for its request
    second.destroy();
  });
});
