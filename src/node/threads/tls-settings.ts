// TLS of the REST API from the settings `http.ssl.*`.
import path from 'node:path';
import { SettingError } from '../../config/load-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { TLS_PROTOCOLS, type TlsOptions, type TlsProtocol } from '../../http/listener.ts';
import { isUws, uwsTlsGap } from '../../http/uws-process.ts';

/** Null if TLS is off. @throws SettingError a setting is missing or contradicts another */
export function tlsOptions(settings: Settings): TlsOptions | null {
  if (!settings['http.ssl.enabled']) return null;
  const resolve = (file: string) => path.resolve(settings['path.config'], file);
  for (const name of ['http.ssl.certificate', 'http.ssl.key'] as const)
    if (settings[name] === '') throw new SettingError('tls', name, 'is required, since http.ssl.enabled is true');
  const clientAuthentication = settings['http.ssl.client_authentication'];
  const authorities = settings['http.ssl.certificate_authorities'].map(resolve);
  if (clientAuthentication !== 'none' && authorities.length === 0)
    throw new SettingError(
      'tls',
      'http.ssl.certificate_authorities',
      `is required, since http.ssl.client_authentication is ${clientAuthentication}`,
    );
  const protocols = settings['http.ssl.supported_protocols'];
  if (protocols.length === 0 || !protocols.every(isProtocol))
    throw new SettingError(
      'tls',
      'http.ssl.supported_protocols',
      `must be of [${TLS_PROTOCOLS.join(', ')}], not [${protocols.join(', ')}]`,
    );
  return {
    certificate: resolve(settings['http.ssl.certificate']),
    key: resolve(settings['http.ssl.key']),
    passphrase: settings['http.ssl.key_passphrase'] || null,
    authorities: clientAuthentication === 'none' ? [] : authorities,
    clientAuthentication,
    protocols: protocols.filter(isProtocol),
  };
}

/**
 * The setting `http.listener`, or `net` where uWebSockets cannot do what `http.ssl.*` asks for.
 * @throws SettingError uWebSockets is required and cannot
 */
export function listenerFor(settings: Settings, tls: TlsOptions | null): Settings['http.listener'] {
  const kind = settings['http.listener'];
  const gap = tls === null || !isUws(kind) ? null : uwsTlsGap(tls);
  if (gap !== null && kind === 'uws') throw new SettingError('tls', 'http.listener', `uws cannot serve this TLS configuration: ${gap}`);
  return gap === null ? kind : 'net';
}

function isProtocol(name: string): name is TlsProtocol {
  return (TLS_PROTOCOLS as readonly string[]).includes(name);
}
