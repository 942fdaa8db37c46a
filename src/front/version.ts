// Versions that the server reports. nginx's version is the one whose behaviour it follows; gannet's own is reported next to it.
export const NGINX_VERSION = '1.31.0';
export const SERVER_FULL = `nginx/${NGINX_VERSION}`;
export const SERVER_BUILD = `nginx/${NGINX_VERSION} (gannet)`;

/** Modules by the names of an nginx build: scripts check these words for the server's features. */
const CONFIGURE = [
  '--with-debug',
  '--with-http_ssl_module',
  '--with-http_v2_module',
  '--with-http_realip_module',
  '--with-http_addition_module',
  '--with-http_sub_module',
  '--with-http_image_filter_module',
  '--with-http_dav_module',
  '--with-http_geoip_module',
  '--with-http_flv_module',
  '--with-http_mp4_module',
  '--with-http_perl_module',
  '--with-http_gunzip_module',
  '--with-http_gzip_static_module',
  '--with-http_auth_request_module',
  '--with-http_random_index_module',
  '--with-http_secure_link_module',
  '--with-http_slice_module',
  '--with-http_stub_status_module',
  '--with-mail',
  '--with-mail_ssl_module',
  '--with-stream',
  '--with-stream_ssl_module',
  '--with-stream_ssl_preread_module',
  '--with-stream_realip_module',
  '--with-stream_geoip_module',
];

/** Modules that nginx's own sources do not contain. */
const FURTHER_MODULES = new Set(['ngx_http_js_module', 'ngx_http_brotli_filter_module', 'ngx_http_brotli_static_module']);

/** @param name  of a module that nginx loads from a file, such as `ngx_http_geoip_module` */
export const isBuiltIn = (name: string): boolean =>
  FURTHER_MODULES.has(name) || CONFIGURE.some((word) => `ngx_${word.replace('--with-', '').replace(/_module$/, '')}_module` === name);

export function versionText(): string {
  return `nginx version: ${SERVER_FULL}`;
}

export function buildText(): string {
  const openssl = process.versions.openssl.replace(/\+.*/, '');
  return [
    versionText(),
    `built by gannet front on Node ${process.versions.node}`,
    `built with OpenSSL ${openssl}`,
    'TLS SNI support enabled',
    `configure arguments: ${CONFIGURE.join(' ')}`,
  ].join('\n');
}
