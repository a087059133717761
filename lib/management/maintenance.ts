// Maintenance of a running service: deletes expired rows, rotates keys that are due, seals values of an older
// GATEHOUSE_SECRET again, checks with directories whether signed-in people still exist, and sends mails about
// requests. Several instances can run it at the same time. Failures are logged, and the next run tries again.
import { deliverEvents, startWebhook } from '#lib/audit/webhook.ts';
import { recheckPeople, startRechecks } from '#lib/auth-methods/recheck.ts';
import { rotateDueKeys } from '#lib/keys/keys.ts';
import { log } from '#lib/kit/log.ts';
import { sendRequestMails, startRequestMails } from '#lib/mail/request-mails.ts';
import { deliverLogouts } from '#lib/oauth/back-channel.ts';
import { settings } from '#lib/settings/settings.ts';
import { deleteExpired, type Swept } from '#lib/store/cleanup.ts';
import { noteFailedMaintenance, noteMaintenance } from '#lib/store/service-state.ts';
import { resealStored } from './keys.ts';

const EVERY_MS = 10 * 60_000;

/** `late`: the deadline has passed, and the job continues in the background. */
type Outcome = 'done' | 'failed' | 'late';
type Jobs = Record<string, { deadlineMs: number; run: () => Promise<unknown> }>;
export type Turn = Swept & { jobs: Record<string, Outcome> };

/**
 * Runs the jobs in parallel with separate deadlines, so that a mail server or webhook that hangs delays no other job.
 * Each job stops starting work before its deadline, and the deadlines are within the 60 seconds of a scheduler's
 * request.
 */
export async function maintain(rest = restAfter(0)): Promise<Turn> {
  let swept: Swept = { deleted: {}, done: false };
  const jobs: Jobs = {
    seals: { deadlineMs: 40_000, run: resealStored },
    keys: { deadlineMs: 40_000, run: rotateDueKeys },
    cleanup: {
      deadlineMs: 45_000,
      run: async () => {
        swept = await deleteExpired({ budgetMs: 30_000, rest });
      },
    },
    events: { deadlineMs: 35_000, run: () => deliverEvents({ budgetMs: 20_000 }) },
    mails: { deadlineMs: 45_000, run: () => sendRequestMails(10_000) },
    // long-running processes have timers for these jobs
    ...(!settings().lasting && {
      directories: {
        deadlineMs: 45_000,
        run: async () => {
          try {
            await recheckPeople(15_000);
          } finally {
            // sends logout notices for the sign-ins that the check with directories ended
            await deliverLogouts();
          }
        },
      },
      logouts: { deadlineMs: 35_000, run: deliverLogouts },
    }),
  };
  const { outcomes, failures } = await runJobs(jobs);
  const deleted = Object.values(swept.deleted).reduce((sum, rows) => sum + rows, 0);
  if (failures.length === 0) await noteMaintenance({ deleted, complete: swept.done });
  // throws if PostgreSQL cannot be reached
  else await noteFailedMaintenance(failures.join('; ')).catch(() => {});
  log().debug({ ...swept, jobs: outcomes }, 'maintenance done');
  return { ...swept, jobs: outcomes };
}

/** Resolves after the last job has ended or reached its deadline. Failures are logged with the names of the jobs. */
export async function runJobs(jobs: Jobs) {
  const failures: string[] = [];
  const outcomes = await Promise.all(
    Object.entries(jobs).map(async ([job, { deadlineMs, run }]): Promise<[string, Outcome]> => {
      const deadline = Promise.withResolvers<Outcome>();
      const timer = setTimeout(() => {
        log().warn({ job, seconds: deadlineMs / 1000 }, 'maintenance: a job passed its deadline');
        failures.push(`${job}: passed its deadline`);
        deadline.resolve('late');
      }, deadlineMs);
      const ended = (async (): Promise<Outcome> => {
        try {
          await run();
          return 'done';
        } catch (error) {
          log().warn({ job, err: error }, 'maintenance: a job failed; the next turn tries again');
          failures.push(`${job}: ${(error as Error).message}`);
          return 'failed';
        } finally {
          clearTimeout(timer);
        }
      })();
      return [job, await Promise.race([ended, deadline.promise])];
    }),
  );
  return { outcomes: Object.fromEntries(outcomes), failures };
}

/**
 * Returns the length of the pause after each batch of deletions, relative to the batch. `turns`: number of consecutive
 * runs of 30 seconds that left expired rows. The pauses first give priority to token refreshes, but become shorter,
 * because a permanent backlog would fill the disk.
 */
const restAfter = (turns: number): number => (turns < 20 ? 3 : turns < 120 ? 1 : 0);

/** Starts the timer of the maintenance, and a first run immediately. Returns a function that stops it. */
export function startMaintenance(): () => void {
  let stopped = false;
  let busy = false;
  const turn = async () => {
    if (busy) return;
    busy = true;
    try {
      // continues until all expired rows are deleted
      for (let turns = 0; !stopped; turns += 1) {
        const { done, jobs } = await maintain(restAfter(turns));
        if (done || jobs['cleanup'] !== 'done') break;
      }
    } catch (error) {
      log().warn({ reason: (error as Error).message }, 'maintenance failed; it will be tried again');
    } finally {
      busy = false;
    }
  };
  void turn();
  const timer = setInterval(() => void turn(), EVERY_MS);
  timer.unref();
  const stops = [startWebhook(), startRechecks(), startRequestMails()];
  return () => {
    stopped = true;
    clearInterval(timer);
    for (const stop of stops) stop();
  };
}
