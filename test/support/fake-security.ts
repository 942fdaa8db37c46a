// Users, roles and API keys in memory, changed by the real commands.
import { runSecurityCommand } from '../../src/security/commands.ts';
import { SecurityRecords } from '../../src/security/records.ts';
import type { SecurityService } from '../../src/security/service.ts';

export function fakeSecurity(): SecurityService {
  const records = new SecurityRecords();
  return {
    records,
    async run(name, args) {
      const { changes, reply } = runSecurityCommand(name, records, args, { nowMs: Date.now(), hasFileSuperuser: true });
      records.apply(changes);
      return reply;
    },
  };
}
