// All modules of the HTTP server, in order of execution within each phase. A module is loaded if the configuration names one of its
// directives or variables, so that a small configuration starts fast. A new module needs one line here.
import type { HttpModule } from '../model/types.ts';

interface Entry {
  load: () => Promise<HttpModule[]>;
  /** names of directives (a trailing `*` matches any suffix, a leading one any prefix) */
  directives: string;
  variables?: string;
}

export const REGISTRY: Entry[] = [
  {
    load: async () => [(await import('../config/core.ts')).core, (await import('../modules/rewrite.ts')).rewriteModule],
    directives: '*',
  },
  { load: async () => [(await import('../modules/filters/conditional.ts')).conditionalModule], directives: '*' },
  { load: async () => [(await import('../modules/filters/headers.ts')).headersModule], directives: 'add_header* add_trailer* expires' },
  { load: async () => [(await import('../modules/monitoring/access-log.ts')).accessLogModule], directives: '*' },
  { load: async () => [(await import('../modules/content/static.ts')).indexModule], directives: '*' },
  { load: async () => [(await import('../config/http2.ts')).http2Module], directives: '*' },
  {
    load: async () => [(await import('../modules/content/autoindex.ts')).autoindexModule],
    directives: 'autoindex* random_index empty_gif stub_status',
    variables: 'connections_*',
  },
  {
    load: async () => [(await import('../modules/filters/gzip.ts')).gzipModule],
    directives: 'gzip* gunzip* brotli* postpone_gzipping',
    variables: 'gzip_ratio',
  },
  { load: async () => [(await import('../modules/filters/userid.ts')).useridModule], directives: 'userid*', variables: 'uid_*' },
  { load: async () => [(await import('../modules/content/static.ts')).staticModule], directives: '*' },
  { load: async () => [(await import('../modules/access/internal-redirect.ts')).internalRedirectModule], directives: 'internal_redirect' },
  { load: async () => [(await import('../modules/content/try-files.ts')).tryFilesModule], directives: 'try_files' },
  { load: async () => [(await import('../modules/backends/mirror.ts')).mirrorModule], directives: 'mirror*' },
  { load: async () => [(await import('../modules/filters/slice.ts')).sliceModule], directives: 'slice', variables: 'slice_range' },
  { load: async () => [(await import('../modules/filters/ssi.ts')).ssiModule], directives: 'ssi*', variables: 'date_local date_gmt' },
  { load: async () => [(await import('../modules/filters/sub-filter.ts')).subModule], directives: 'sub_filter*' },
  { load: async () => [(await import('../modules/filters/image.ts')).imageModule], directives: 'image_filter*' },
  {
    load: async () => [(await import('../modules/filters/addition.ts')).additionModule],
    directives: 'add_before_body add_after_body addition_types',
  },
  {
    load: async () => [(await import('../modules/filters/charset.ts')).charsetModule],
    directives: 'charset* source_charset override_charset',
  },
  { load: async () => [(await import('../modules/content/flv.ts')).flvModule], directives: 'flv' },
  { load: async () => [(await import('../modules/content/dav.ts')).davModule], directives: 'dav_* create_full_put_path min_delete_depth' },
  {
    load: async () => [(await import('../modules/access/referer.ts')).refererModule],
    directives: 'valid_referers referer_*',
    variables: 'invalid_referer',
  },
  {
    load: async () => [(await import('../modules/access/secure-link.ts')).secureLinkModule],
    directives: 'secure_link*',
    variables: 'secure_link*',
  },
  {
    load: async () => [(await import('../modules/variables/browser.ts')).browserModule],
    directives: 'modern_browser* ancient_browser*',
    variables: 'modern_browser ancient_browser msie',
  },
  { load: async () => [(await import('../modules/variables/geoip.ts')).geoipModule], directives: 'geoip_*', variables: 'geoip_*' },
  { load: async () => [(await import('../modules/variables/map.ts')).mapModule], directives: 'map map_hash* split_clients geo' },
  {
    load: async () => [(await import('../modules/access/limits.ts')).limitReqModule],
    directives: 'limit_req*',
    variables: 'limit_req_status',
  },
  {
    load: async () => [(await import('../modules/access/limits.ts')).limitConnModule],
    directives: 'limit_conn*',
    variables: 'limit_conn_status',
  },
  {
    load: async () => [(await import('../modules/access/realip.ts')).realipModule],
    directives: 'set_real_ip_from real_ip_*',
    variables: 'realip_*',
  },
  { load: async () => [(await import('../modules/access/access.ts')).accessModule], directives: 'allow deny' },
  { load: async () => [(await import('../modules/access/auth-basic.ts')).authBasicModule], directives: 'auth_basic* auth_delay' },
  { load: async () => [(await import('../modules/access/auth-request.ts')).authRequestModule], directives: 'auth_request*' },
  { load: async () => [(await import('../modules/access/auth-require.ts')).authRequireModule], directives: 'auth_require' },
  {
    load: async () => [(await import('../modules/access/auth-jwt.ts')).authJwtModule],
    directives: 'auth_jwt*',
    variables: 'jwt_*',
  },
  {
    load: async () => [(await import('../modules/access/auth-oidc.ts')).authOidcModule],
    directives: 'auth_oidc oidc_provider',
    variables: 'oidc_*',
  },
  {
    load: async () => [(await import('../modules/access/acme.ts')).acmeModule],
    directives: 'acme_*',
    variables: 'acme_*',
  },
  { load: async () => [(await import('../tls/ssl.ts')).sslModule], directives: 'ssl_*', variables: 'ssl_*' },
  {
    load: async () => [(await import('../modules/backends/proxy.ts')).proxyModule],
    directives:
      'proxy_pass proxy_set_header proxy_set_body proxy_method proxy_http_version proxy_pass_* proxy_redirect proxy_cookie_* proxy_headers_hash* ' +
      'proxy_connect_timeout proxy_send_* proxy_read_timeout proxy_buffer* proxy_next_upstream* proxy_socket* proxy_bind* proxy_busy_buffers_size ' +
      'proxy_request_buffering proxy_ignore_* proxy_intercept_errors proxy_max_temp_file_size proxy_temp_file_write_size proxy_limit_rate ' +
      'proxy_force_ranges proxy_hide_header proxy_store* proxy_cache* proxy_no_cache proxy_ssl_* proxy_allow_upstream proxy_request_dynamic',
    variables: 'proxy_host proxy_port proxy_add_*',
  },
  {
    load: async () => [
      (await import('../upstream/module.ts')).upstreamVariablesModule,
      (await import('../upstream/peers/parse-group.ts')).groupModule,
    ],
    directives: 'upstream *_pass *_cache_path',
    variables: 'upstream_*',
  },
  {
    load: async () => [(await import('../modules/backends/fastcgi.ts')).fastcgiModule],
    directives:
      'fastcgi_a* fastcgi_p* fastcgi_b* fastcgi_c* fastcgi_i* fastcgi_k* fastcgi_n* fastcgi_r* fastcgi_s* fastcgi_h* fastcgi_f* fastcgi_l* fastcgi_m* fastcgi_temp_file*',
    variables: 'fastcgi_*',
  },
  {
    load: async () => [(await import('../modules/backends/scgi.ts')).scgiModule],
    directives: 'scgi_a* scgi_p* scgi_b* scgi_c* scgi_i* scgi_n* scgi_r* scgi_s* scgi_h* scgi_f* scgi_l* scgi_m* scgi_temp_file*',
  },
  {
    load: async () => [(await import('../modules/backends/uwsgi.ts')).uwsgiModule],
    directives:
      'uwsgi_a* uwsgi_p* uwsgi_b* uwsgi_c* uwsgi_i* uwsgi_n* uwsgi_r* uwsgi_s* uwsgi_h* uwsgi_f* uwsgi_l* uwsgi_m* uwsgi_temp_file*',
  },
  {
    load: async () => [(await import('../modules/backends/memcached.ts')).memcachedModule],
    directives: 'memcached_*',
    variables: 'memcached_key',
  },
  { load: async () => [(await import('../modules/backends/tunnel.ts')).tunnelModule], directives: 'tunnel_*' },
  {
    load: async () => [
      (await import('../modules/backends/proxy.ts')).proxyModule,
      (await import('../modules/backends/grpc.ts')).grpcModule,
    ],
    directives: 'grpc_*',
  },
  { load: async () => [(await import('../modules/content/mp4.ts')).mp4Module], directives: 'mp4*' },
  {
    load: async () => [
      (await import('../modules/backends/proxy.ts')).proxyModule,
      (await import('../modules/backends/search.ts')).searchModule,
    ],
    directives: 'search_pass',
  },
  { load: async () => [(await import('../modules/js.ts')).jsModule], directives: 'js_*' },
  { load: async () => [(await import('../modules/variables/keyval.ts')).keyvalModule], directives: 'keyval keyval_zone' },
  { load: async () => [(await import('../modules/variables/num-map.ts')).numMapModule], directives: 'num_map' },
  { load: async () => [(await import('../modules/perl.ts')).perlModule], directives: 'perl perl_*' },
  {
    load: async () => [
      (await import('../modules/backends/proxy.ts')).proxyModule,
      (await import('../modules/monitoring/operations.ts')).operationsModule,
    ],
    directives: 'metrics api',
  },
  { load: async () => [(await import('../modules/monitoring/status-zone.ts')).statusZoneModule], directives: 'status_zone' },
  {
    load: async () => [
      (await import('../modules/backends/proxy.ts')).proxyModule,
      (await import('../modules/backends/health-check.ts')).healthCheckModule,
    ],
    directives: 'health_check match',
  },
];

const matches = (patterns: string, name: string): boolean =>
  patterns
    .split(' ')
    .some((p) => (p.endsWith('*') ? name.startsWith(p.slice(0, -1)) : p.startsWith('*') ? name.endsWith(p.slice(1)) : p === name));

/** Loads the modules that a configuration needs. @param names  directives in use; @param variables  variables in use */
export async function loadModules(names: Iterable<string>, variables: Iterable<string>): Promise<HttpModule[]> {
  const directives = [...names];
  const used = [...variables];
  const wanted = REGISTRY.filter(
    ({ directives: patterns, variables: variablePatterns }) =>
      patterns === '*' ||
      directives.some((name) => matches(patterns, name)) ||
      (variablePatterns !== undefined && used.some((name) => matches(variablePatterns, name))),
  );
  return [...new Set((await Promise.all(wanted.map((entry) => entry.load()))).flat())];
}
