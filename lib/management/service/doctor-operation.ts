// What the doctor says of how the service is run: mail, the database's role, administrators, maintenance. The lists of
// the first day ask here too.
import { machineNow } from '#lib/kit/clock.ts';
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { utcMinute } from '#lib/kit/utc.ts';
import { settings } from '#lib/settings/settings.ts';
import type { DatabaseFacts } from '#lib/store/database/database.ts';
import { database } from '#lib/store/database/prisma.ts';
import { countWithoutFactor, hasAdministrator } from '#lib/store/people/roles.ts';
import { selectMaintenance } from '#lib/store/upkeep/service-facts.ts';
import { mailServerSteps } from '../connections/mail.ts';
import { type Finding, finding, formatCount, guideAt } from './doctor-finding.ts';
import { findingsOf } from './doctor-methods.ts';

const [ok, warning] = [finding('ok'), finding('warning')];

/** Two turns of the timer, or what a daily call of a scheduler may be late by. */
const LATE_MS = { timer: 30 * 60_000, scheduler: 26 * 3_600_000 };

/** Only what is set: `examineMailServer` asks the server. */
export function examineMail(): Finding {
  const { smtpUrl, local } = settings();
  if (smtpUrl !== null) return ok('mail', `not tried: ${new URL(smtpUrl).host}`);
  if (local) return ok('mail', 'kept on this machine: there is no SMTP_URL');
  return warning('mail', 'reaches nobody: set SMTP_URL');
}

/** Connects, encrypts and logs in as for a mail, and sends none. */
export async function examineMailServer(): Promise<Finding[]> {
  const { smtpUrl } = settings();
  if (smtpUrl === null) return [];
  const steps = (await mailServerSteps()).filter(({ state }) => state !== 'skipped');
  // on this machine nobody reads the connection
  const matters = isLoopbackHost(new URL(smtpUrl).hostname)
    ? steps.filter(({ state }) => state !== 'warning')
    : steps;
  return findingsOf('mail', matters);
}

/** Nothing of a service that is only for this machine. */
export function databaseRole({ ownsAudit }: DatabaseFacts): Finding[] {
  if (settings().local || ownsAudit === null) return [];
  if (!ownsAudit) return [ok('database role', 'may not change the schema or the audit log')];
  return [
    warning(
      'database role',
      `may change the audit log: give the service a role of its own (gatehouse migrate --service-role), see ${guideAt('audit#append-only')}`,
    ),
  ];
}

/** Of our own store: of people of other methods this service does not know how they prove who they are. */
export async function examineAdministrators(): Promise<Finding> {
  const db = await database();
  if (!(await hasAdministrator(db)))
    return warning('administrators', 'none yet: gatehouse user create EMAIL --role administrator');
  const without = await countWithoutFactor(db, ['administrator']);
  if (without === 0) return ok('administrators', 'each has a second factor');
  const who = formatCount(without, 'administrator');
  return warning('administrators', `${who} without a second factor: see ${guideAt('strong-sign-in')}`);
}

/** The last turn of any instance. */
export async function examineMaintenance(): Promise<Finding> {
  const turn = await selectMaintenance(await database());
  if (turn?.failedAt) {
    return warning('maintenance', `failed at ${utcMinute(turn.failedAt)}: ${turn.failure ?? ''}`);
  }
  if (!turn?.finishedAt) return warning('maintenance', 'no turn yet: it runs while the service does');
  const lateMs = settings().lasting ? LATE_MS.timer : LATE_MS.scheduler;
  const at = `the last turn was at ${utcMinute(turn.finishedAt)}`;
  if (machineNow().getTime() - turn.finishedAt.getTime() > lateMs) return warning('maintenance', at);
  return ok('maintenance', turn.complete ? at : `${at}, and there is more to delete`);
}
