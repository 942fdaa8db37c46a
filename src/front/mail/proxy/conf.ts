// proxy_*: how sessions are passed to back ends.
import { flag, HS, msec, oneOf, size } from '../../config/directive.ts';
import { defineMailModule } from '../model.ts';

export const mailProxy = defineMailModule('mail_proxy', {
  /** has no effect: a server without a back end would have no purpose */
  proxy: flag(HS, false),
  proxy_buffer: size(HS, '4k'),
  proxy_pass_error_message: flag(HS, false),
  proxy_protocol: oneOf(HS, ['off', 'on', 'v2'], 'off'),
  proxy_smtp_auth: flag(HS, false),
  proxy_timeout: msec(HS, '24h'),
  xclient: flag(HS, true),
});
