/** Dependencies of a stock configuration: files that come with the server, modules named by load_module, owners of logs. */
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bodyOf, front, frontForEach, get, headerOf, ours, port, statusOf } from '../support/front.ts';

frontForEach();

describe.skipIf(!ours)('stock configurations', () => {
  test('files shipped with the server are included by name from any prefix', async () => {
    for (const name of ['a.svg', 'b.JPG', 'c.mp4']) front.write(name, 'x');
    front.write('scgi_params', 'add_header X-Own scgi_params;');
    front.config(
      `include mime.types; include koi-win; include koi-utf; include /etc/nginx/win-utf;
       server { listen 127.0.0.1:${port}; include scgi_params;
         location /fcgi { include fastcgi_params; include fastcgi.conf; include uwsgi_params; fastcgi_pass 127.0.0.1:1; }
         location /koi { charset utf-8; source_charset koi8-r; } }`,
    );
    mkdirSync(path.join(front.folder, 'koi'));
    front.write('koi/text.txt', Buffer.from([0xcb, 0xcf, 0xd4]));
    await front.start();
    const types = ['a.svg', 'b.JPG', 'c.mp4'].map(async (name) => headerOf(await get(port, `/${name}`), 'Content-Type'));
    expect(await Promise.all(types)).toEqual(['image/svg+xml', 'image/jpeg', 'video/mp4']);
    expect(headerOf(await get(port, '/a.svg'), 'X-Own')).toBe('scgi_params');
    expect(Buffer.from(bodyOf(await get(port, '/koi/text.txt')), 'latin1').toString()).toBe('кот');
    expect(statusOf(await get(port, '/fcgi'))).toBe(502);
  });

  test('load_module accepts built-in modules and refuses other names', async () => {
    const config = (module: string) =>
      front.config(
        `server { listen 127.0.0.1:${port}; return 200 ok; }`,
        `error_log notices.log notice; load_module modules/${module}.so;`,
      );
    config('ngx_http_headers_more_filter_module');
    await expect(front.start()).rejects.toThrow(/module "ngx_http_headers_more_filter_module" is not built in.*nginx\.conf:1/);
    config('ngx_http_geoip_module.so; load_module modules/ngx_http_xslt_filter_module');
    await front.start();
    expect(bodyOf(await get(port, '/'))).toBe('ok');
    expect(front.read('notices.log')).toContain('module "ngx_http_geoip_module" is built in');
    expect(front.read('notices.log')).toContain('module "ngx_http_xslt_filter_module" is not supported, its directives are refused');
  });

  test('log files belong to the user of the workers and are closed to others', async () => {
    const isRoot = process.getuid?.() === 0;
    chmodSync(front.folder, 0o755);
    front.write(
      'nginx.conf',
      `${isRoot ? 'user nobody nogroup;' : ''} pid nginx.pid; daemon off; error_log error.log info; events { }
       http { access_log access.log; proxy_temp_path temp; client_body_temp_path temp; server { listen 127.0.0.1:${port}; return 200 ok; } }`,
    );
    await front.start();
    expect(bodyOf(await get(port, '/'))).toBe('ok');
    const owner = isRoot ? 65534 : process.getuid?.();
    for (const name of ['access.log', 'error.log']) {
      const { uid, mode } = statSync(path.join(front.folder, name));
      expect([name, uid, (mode & 0o777).toString(8)]).toEqual([name, owner, '640']);
    }
  });
});
