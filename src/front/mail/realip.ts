// set_real_ip_from: the client's address as reported by a trusted proxy with the PROXY protocol.
import { custom, HS } from '../config/directive.ts';
import { parseTrusted, type Trusted } from '../http/modules/access/trusted.ts';
import { defineMailModule } from './model.ts';

export const mailRealip = defineMailModule('mail_realip', {
  set_real_ip_from: custom<Trusted | null>(HS, 1, null, parseTrusted, { repeats: true }),
});
