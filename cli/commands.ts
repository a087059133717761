// All commands of the command line, in the order of the help.
import type { Command } from './command.ts';
import { auditCommand, findCommands } from './verbs/audit.ts';
import { clientCommands, explainCommand, subscriptionCommands } from './verbs/clients.ts';
import { configurationCommands, importCommand } from './verbs/configuration.ts';
import { signInVerbs } from './verbs/login.ts';
import { importPeopleCommand, peopleCommands } from './verbs/people.ts';
import {
  doctorCommand,
  doctorMcpCommand,
  expiringCommand,
  invalidateCommand,
  keysCommands,
  migrateCommand,
} from './verbs/service.ts';

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
