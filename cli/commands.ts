// Every verb of the command line, in the order of its help.
import type { Command } from './command.ts';
import { auditCommand } from './verbs/audit.ts';
import { clientCommands } from './verbs/client.ts';
import { configurationCommands } from './verbs/configuration.ts';
import { doctorCommand, doctorMcpCommand } from './verbs/doctor.ts';
import { expiringCommand } from './verbs/expiring.ts';
import { explainCommand } from './verbs/explain.ts';
import { findCommands } from './verbs/find.ts';
import { importCommand } from './verbs/import.ts';
import { invalidateCommand } from './verbs/invalidate.ts';
import { keysCommands } from './verbs/keys.ts';
import { signInVerbs } from './verbs/login.ts';
import { migrateCommand } from './verbs/migrate.ts';
import { importPeopleCommand } from './verbs/people.ts';
import { subscriptionCommands } from './verbs/subscription.ts';
import { peopleCommands } from './verbs/user.ts';

export const COMMANDS: readonly Command[] = [
  migrateCommand,
  ...signInVerbs,
  ...configurationCommands,
  importCommand,
  ...peopleCommands,
  importPeopleCommand,
  ...clientCommands,
  ...subscriptionCommands,
  explainCommand,
  ...keysCommands,
  expiringCommand,
  ...findCommands,
  invalidateCommand,
  auditCommand,
  doctorMcpCommand,
  doctorCommand,
];
