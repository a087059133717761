// The service for its operators: state, numbers, and invalidation after a restored backup.
import { VERSION } from '#lib/kit/version.ts';
import { type ShownSetting, shownSettings } from '#lib/settings/shown.ts';
import { countRegistry, type RegistryCounts } from '#lib/store/configuration.ts';
import { type Invalidated, invalidateBefore, invalidateMost } from '#lib/store/endings.ts';
import { waitingPeople } from '#lib/store/person-registrations.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import {
  type MaintenanceRun,
  type QueueLengths,
  selectMaintenance,
  selectQueueLengths,
} from '#lib/store/service-state.ts';
import { countPending } from '#lib/store/subscriptions.ts';
import { examineElsewhere, examineHere } from './doctor.ts';
import type { Finding } from './doctor-finding.ts';
import { operation } from './operations.ts';
import { decidableBy, mayDo } from './policy.ts';
import { record } from './record.ts';

// The state of the service: version, health, queues and the settings in force. It contains no secret.

export type ServiceState = {
  version: string;
  /** of Node.js */
  runtime: string;
  findings: Finding[];
  queues: QueueLengths;
  maintenance: MaintenanceRun | null;
  settings: ShownSetting[];
};

/** `elsewhere`: verifiers, brokers and our own pages are called too, which may take some seconds. */
export const readService = operation(
  'readService',
  async ({ db }, { elsewhere = false }: { elsewhere?: boolean | undefined } = {}): Promise<ServiceState> => {
    const [here, there, queues, maintenance] = await Promise.all([
      examineHere(),
      elsewhere ? examineElsewhere() : [],
      selectQueueLengths(db),
      selectMaintenance(db),
    ]);
    return {
      version: VERSION,
      runtime: process.version,
      findings: [...here, ...there],
      queues,
      maintenance,
      settings: shownSettings(),
    };
  },
);

// The numbers of the console's first pages.

export type Overview = {
  /** requests that wait for this actor's decision; 0 for who may not decide */
  pending: number;
  /** for administrators, where they are asked for */
  counts: RegistryCounts | null;
};

export const readOverview = operation(
  'readOverview',
  async ({ actor, db }, input: { counts?: boolean } = {}): Promise<Overview> => ({
    pending:
      (mayDo(actor, 'subscriptions.decide') ? await countPending(db, decidableBy(actor)) : 0) +
      (mayDo(actor, 'people.decide') ? await waitingPeople.count(db) : 0),
    counts: input.counts === true && mayDo(actor, 'registry.read') ? await countRegistry() : null,
  }),
);

// Ends every sign-in, code and token issued before a moment. Run it after restoring an older backup.

export const invalidateIssued = operation(
  'invalidateIssued',
  async ({ actor, db: pool }, input: { before: Date }): Promise<Invalidated> => {
    const most = await invalidateMost(pool, input.before);
    return inTransaction(async (db) => {
      const rest = await invalidateBefore(db, input.before);
      const ended = {
        families: most.families + rest.families,
        codes: most.codes + rest.codes,
        sessions: most.sessions + rest.sessions,
      };
      const details = { before: input.before.toISOString(), ...ended };
      await record(actor, { event: 'service.invalidated', details }, db);
      return ended;
    });
  },
);
