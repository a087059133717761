// The service as its operators see it: version, health, queues, the settings that hold. No secret among them.
import { VERSION } from '#lib/kit/version.ts';
import { type ShownSetting, shownSettings } from '#lib/settings/shown.ts';
import {
  type MaintenanceRun,
  type QueueLengths,
  selectMaintenance,
  selectQueueLengths,
} from '#lib/store/upkeep/service-facts.ts';
import { operation } from '../core/operation.ts';
import { examineElsewhere, examineHere } from '../service/doctor.ts';
import type { Finding } from '../service/doctor-finding.ts';

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
