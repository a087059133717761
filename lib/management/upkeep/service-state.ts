// The service as its operators see it: version, health, queues, the settings that hold. No secret among them.
import { VERSION } from '#lib/kit/index.ts';
import { type ShownSetting, shownSettings } from '#lib/settings/index.ts';
import {
  type MaintenanceRun,
  type QueueLengths,
  selectMaintenance,
  selectQueueLengths,
} from '#lib/store/index.ts';
import { operation } from '../core/index.ts';
import { examineElsewhere, examineHere, type Finding } from '../service/index.ts';

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
