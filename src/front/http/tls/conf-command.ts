// `*_ssl_conf_command`: the commands of OpenSSL's SSL_CONF_cmd that Node has an option for. Others are refused at the start.
import { constants } from 'node:crypto';
import type tls from 'node:tls';
import { custom, type Spec } from '../../config/directive.ts';
import type { HttpFrame } from '../config/module.ts';
import { readPem } from './pem.ts';

const { SSL_OP_NO_TICKET } = constants;
export const TLS_VERSIONS = ['SSLv2', 'SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
/** versions that Node supports */
const NODE_VERSIONS = new Set<string>(['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']);

/** Oldest and newest protocol of a list. */
export function versionRange(protocols: Iterable<string>): { minVersion?: tls.SecureVersion; maxVersion?: tls.SecureVersion } {
  const wanted = new Set(protocols);
  const list = TLS_VERSIONS.filter((v) => wanted.has(v) && NODE_VERSIONS.has(v)) as tls.SecureVersion[];
  return list.length === 0 ? {} : { minVersion: list[0], maxVersion: list[list.length - 1] };
}

type Apply = (options: tls.SecureContextOptions, value: string) => void;

const OPTIONS: Record<string, (options: tls.SecureContextOptions, on: boolean) => void> = {
  SessionTicket: (options, on) => {
    const bits = options.secureOptions ?? 0;
    options.secureOptions = on ? bits & ~SSL_OP_NO_TICKET : bits | SSL_OP_NO_TICKET;
  },
  ServerPreference: (options, on) => {
    options.honorCipherOrder = on;
  },
};

const COMMANDS: Record<string, Apply> = {
  Ciphersuites: (options, value) => {
    options.ciphers = [value, options.ciphers?.replace(/(?:^|:)TLS_[A-Z0-9_]+/g, '').replace(/^:/, '')].filter(Boolean).join(':');
  },
  CipherString: (options, value) => {
    options.ciphers = value;
  },
  Curves: (options, value) => {
    options.ecdhCurve = value;
  },
  Groups: (options, value) => {
    options.ecdhCurve = value;
  },
  SignatureAlgorithms: (options, value) => {
    options.sigalgs = value;
  },
  Options: (options, value) => {
    for (const word of value.split(',')) OPTIONS[word.replace(/^[+-]/, '')](options, !word.startsWith('-'));
  },
  Protocol: (options, value) => {
    Object.assign(options, versionRange(value.split(',').map((word) => word.trim().replace(/^\+/, ''))));
  },
  MinProtocol: (options, value) => {
    options.minVersion = value as tls.SecureVersion;
  },
  MaxProtocol: (options, value) => {
    options.maxVersion = value as tls.SecureVersion;
  },
  Certificate: (options, value) => {
    options.cert = [readPem(value)];
  },
  PrivateKey: (options, value) => {
    options.key = [readPem(value)];
  },
};
const FILES = new Set(['Certificate', 'PrivateKey']);

/** The directive: names and values in order of appearance. */
export function confCommand(contexts: number): Spec<string[][] | null> {
  return custom<string[][] | null>(
    contexts,
    2,
    null,
    (f: HttpFrame, previous = []) => {
      const [name, value] = f.args;
      const known =
        Object.hasOwn(COMMANDS, name) &&
        (name !== 'Options' || value.split(',').every((word) => Object.hasOwn(OPTIONS, word.replace(/^[+-]/, '')))) &&
        (!/^M(?:in|ax)Protocol$/.test(name) || NODE_VERSIONS.has(value));
      if (!known) f.fail(`SSL_CONF_cmd("${name}", "${value}") is not supported by this server`);
      return [...previous, [name, FILES.has(name) ? f.scope.path(value, 'conf') : value]];
    },
    { repeats: true },
  );
}

/** Applies commands to the options from the other directives. @throws Error a file cannot be read */
export function applyConfCommands(options: tls.SecureContextOptions, commands: readonly string[][]): void {
  for (const [name, value] of commands) COMMANDS[name](options, value);
}
