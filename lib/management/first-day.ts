// Lists of the first day, for operators and for developers.
import { settings } from '#lib/settings/settings.ts';
import { inspectDatabase } from '#lib/store/database.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import {
  type ChecklistName,
  isChecklistAway,
  selectDeveloperFacts,
  selectDoneSteps,
  setChecklistAway,
  setStepDone,
} from '#lib/store/upkeep.ts';
import { databaseRole, examineAdministrators, examineSettings, registryFinding } from './doctor.ts';
import { operation } from './operations.ts';
import { idOf, requireAction, requirePerson } from './policy.ts';
import { record } from './record.ts';
import { Refused } from './refused.ts';

// The list of the first day for operators. The doctor's checks decide which steps are done. An administrator marks only
// the steps that the service cannot see.

/** `mail`: whether a message arrives only a reader of it knows. The last two are not everybody's. */
const SAID = ['mail', 'backup', 'role', 'metrics'] as const;
type Said = (typeof SAID)[number];
export type FirstDayStep = {
  step: 'address' | 'second-factor' | 'api' | 'method' | 'client' | Said;
  done: boolean;
  /** an administrator said so, and may take it back */
  said: boolean;
  /** an administrator may say so now */
  sayable: boolean;
  /** what the doctor found; null: nothing to add */
  found: string | null;
};

export type FirstDay = { steps: FirstDayStep[]; complete: boolean; away: boolean };

export const readFirstDay = operation('readFirstDay', async ({ actor, db }): Promise<FirstDay> => {
  const personId = idOf(actor);
  const [said, away, steps] = await Promise.all([
    selectDoneSteps(db),
    personId === null ? false : isChecklistAway(db, personId, 'service'),
    seenSteps(),
  ]);
  const all = steps.map(({ step, seen, ready = true, found = null }): FirstDayStep => {
    const isSaid = ready && said.includes(step);
    const done = seen || isSaid;
    return { step, done, said: isSaid && !seen, sayable: !done && ready && isSayable(step), found };
  });
  return { steps: all, complete: all.every(({ done }) => done), away };
});

const isSayable = (step: string): step is Said => SAID.some((one) => one === step);

/** `ready` false: first it has to be set. */
type Seen = { step: FirstDayStep['step']; seen: boolean; ready?: boolean; found?: string | null };

async function seenSteps(): Promise<Seen[]> {
  const { local, smtpUrl, metricsPort, metricsToken } = settings();
  const [facts, snapshot, administrators] = await Promise.all([
    inspectDatabase(),
    currentSnapshot(),
    examineAdministrators(),
  ]);
  const address = examineSettings();
  const [role] = databaseRole(facts);
  const apis = registryFinding(snapshot);
  const inUse = [...snapshot.apis.values()].some(({ authMethods }) => authMethods.length > 0);
  return [
    { step: 'address', seen: address.state === 'ok' && !local, found: address.detail },
    { step: 'mail', seen: false, ready: smtpUrl !== null },
    { step: 'role', seen: role?.state === 'ok', found: role?.detail ?? null },
    { step: 'backup', seen: false },
    { step: 'second-factor', seen: administrators.state === 'ok', found: administrators.detail },
    { step: 'method', seen: snapshot.methods.size > 0 },
    { step: 'api', seen: apis.state === 'ok' && inUse, found: apis.detail },
    { step: 'client', seen: snapshot.clients.size > 0 },
    { step: 'metrics', seen: metricsPort !== null || metricsToken !== null },
  ];
}

/** Of the whole service: every administrator sees it done. */
export const markFirstDay = operation(
  'markFirstDay',
  async ({ actor, db }, { step, done }: { step: string; done: boolean }): Promise<void> => {
    if (!isSayable(step)) throw new Refused('checklist.unknown_step', { step });
    if (!(await setStepDone(db, step, done))) return;
    await record(actor, { event: done ? 'checklist.done' : 'checklist.undone', details: { step } }, db);
  },
);

/** For this person only. */
export const putChecklistAway = operation(
  'putChecklistAway',
  async ({ actor, db }, { list, away }: { list: ChecklistName; away: boolean }): Promise<void> => {
    requireAction(actor, list === 'own' ? 'clients.see-own' : 'audit.read');
    await setChecklistAway(db, requirePerson(actor).id, list, away);
  },
);

// The list of a developer's first day, from what their applications have, not from what they clicked.

export type FirstTokenStep = {
  step: 'client' | 'api' | 'token' | 'https' | 'second-factor';
  done: boolean;
  /** it was asked for, and another person decides */
  waits: boolean;
};
export type FirstToken = {
  steps: FirstTokenStep[];
  complete: boolean;
  away: boolean;
  /** the newest of the person's applications, for links; null: there is none */
  clientId: string | null;
};

export const readFirstToken = operation('readFirstToken', async ({ actor, db }): Promise<FirstToken> => {
  const { id } = requirePerson(actor);
  const [facts, away] = await Promise.all([selectDeveloperFacts(db, id), isChecklistAway(db, id, 'own')]);
  const step = (name: FirstTokenStep['step'], done: boolean, waits = false) => ({ step: name, done, waits });
  const steps = [
    step('client', facts.clients > 0),
    step('api', facts.approved, facts.subscribed && !facts.approved),
    step('token', facts.tokens),
    // where people are sent nowhere, or to an application on their own device, there is nothing to do
    ...(facts.clients > 0 && !facts.redirects ? [] : [step('https', facts.https)]),
    step('second-factor', facts.factorLevel > 0),
  ];
  return { steps, complete: steps.every(({ done }) => done), away, clientId: facts.clientId };
});
