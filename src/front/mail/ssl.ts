// `starttls`, and what is offered to a client.
import { HS, oneOf } from '../config/directive.ts';
import type { Server } from '../http/model/types.ts';
import { defineMailModule, type MailSession } from './model.ts';

export const mailSsl = defineMailModule('mail_starttls', { starttls: oneOf(HS, ['off', 'on', 'only'], 'off') });

/** `only`: the client must use TLS before it logs in. */
export type TlsOffer = 'none' | 'on' | 'only';

export function tlsOffer({ loc, tls }: Pick<MailSession, 'loc' | 'tls'>): TlsOffer {
  const { starttls } = mailSsl.conf(loc);
  return tls || starttls === 'off' ? 'none' : starttls;
}

export const usesTls = ({ listens, root }: Server): boolean => listens.some(({ ssl }) => ssl) || mailSsl.conf(root).starttls !== 'off';
