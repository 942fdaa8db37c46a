// Directives of TLS that http does not have.
import { ANY_COUNT, custom, HS, msec } from '../../config/directive.ts';
import type { BlockFrame } from '../../http/config/module.ts';

import { defineStreamModule } from '../model.ts';

export const streamSsl = defineStreamModule('stream_ssl', {
  ssl_handshake_timeout: msec(HS, '60s'),
  ssl_alpn: custom<string[] | null>(HS, [1, ANY_COUNT], null, (f: BlockFrame) => {
    for (const name of f.args) if (name.length > 255) f.fail(`protocol "${name}" is too long`);
    return [...f.args];
  }),
});
