// Upkeep of an installation: the first-day lists, and everything that expires soon.

import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { ROTATE_AFTER_DAYS } from '#lib/keys/keys.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { sha256 } from '#lib/kit/random.ts';
import type { Change } from '#lib/registry/definition.ts';
import type { KeyRow } from '#lib/registry/keys.ts';
import { settings } from '#lib/settings/settings.ts';
import { trustedFiles } from '#lib/settings/shown.ts';
import { inspectDatabase } from '#lib/store/database.ts';
import type { Db } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import {
  type ChecklistName,
  type ExpiringRow,
  isChecklistAway,
  selectDeveloperFacts,
  selectDoneSteps,
  selectExpiring,
  setChecklistAway,
  setStepDone,
} from '#lib/store/upkeep.ts';
import { databaseRole, examineAdministrators, examineSettings, registryFinding } from './doctor.ts';
import { listSigningKeys } from './keys.ts';
import { flag } from './lists.ts';
import { one, operation, wholeList } from './operations.ts';
import { type Actor, idOf, mayDo, requireAction, requirePerson } from './policy.ts';
import { record } from './record.ts';
import { Refused } from './refused.ts';

// First-day lists, for operators and for developers.

// The first-day list for operators. The doctor’s checks decide which steps are done. An administrator can mark only
// the steps that the service cannot detect.

/**
 * The steps that an administrator can mark. `mail`: only a person who reads the mail can confirm that it arrived. The
 * last two steps are optional.
 */
const SAID = ['mail', 'backup', 'role', 'metrics'] as const;
type Said = (typeof SAID)[number];
const firstDayStep = z.strictObject({
  step: z.string(),
  done: z.boolean(),
  said: z.boolean().describe('an administrator marked it as done'),
  sayable: z.boolean().describe('an administrator can mark it as done'),
  found: z.string().nullable().describe('the finding of the doctor'),
});
const firstDay = z.strictObject({
  steps: z.array(firstDayStep),
  complete: z.boolean(),
  away: z.boolean().describe('true if this person dismissed the list'),
});
export type FirstDayStep = z.output<typeof firstDayStep> & {
  step: 'address' | 'second-factor' | 'api' | 'method' | 'client' | Said;
};
type FirstDay = Omit<z.output<typeof firstDay>, 'steps'> & { steps: FirstDayStep[] };

export const readFirstDay = operation(
  { name: 'readFirstDay', right: 'audit.read', output: one('FirstDay', firstDay) },
  async ({ actor, db }): Promise<FirstDay> => {
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
  },
);

const isSayable = (step: string): step is Said => SAID.some((stepName) => stepName === step);

/** `ready` false: the step needs a setting first. */
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

/** Marks a step for the whole service: every administrator then sees it as done. */
export const markFirstDay = operation(
  { name: 'markFirstDay', right: 'registry.manage', runsOn: 'transaction' },
  async ({ actor, db }, { step, done }: { step: string; done: boolean }): Promise<void> => {
    if (!isSayable(step)) throw new Refused('checklist.unknown_step', { step });
    if (!(await setStepDone(db, step, done))) return;
    await record(actor, { event: done ? 'checklist.done' : 'checklist.undone', details: { step } }, db);
  },
);

/** Hides the checklist for this person only. */
export const putChecklistAway = operation(
  { name: 'putChecklistAway', right: ['audit.read', 'clients.see-own'], runsOn: 'transaction' },
  async ({ actor, db }, { list, away }: { list: ChecklistName; away: boolean }): Promise<void> => {
    requireAction(actor, list === 'own' ? 'clients.see-own' : 'audit.read');
    await setChecklistAway(db, requirePerson(actor).id, list, away);
  },
);

// The first-day list of developers. It is computed from the state of their applications, so developers mark no steps.

export type FirstTokenStep = {
  step: 'client' | 'api' | 'token' | 'https' | 'second-factor';
  done: boolean;
  /** requested, but not decided yet */
  waits: boolean;
};
export type FirstToken = {
  steps: FirstTokenStep[];
  complete: boolean;
  away: boolean;
  /** the newest application of the user, for links */
  clientId: string | null;
};

export const readFirstToken = operation(
  { name: 'readFirstToken', right: 'clients.see-own' },
  async ({ actor, db }): Promise<FirstToken> => {
    const { id } = requirePerson(actor);
    const [facts, away] = await Promise.all([selectDeveloperFacts(db, id), isChecklistAway(db, id, 'own')]);
    const step = (name: FirstTokenStep['step'], done: boolean, waits = false) => ({
      step: name,
      done,
      waits,
    });
    const steps = [
      step('client', facts.clients > 0),
      step('api', facts.approved, facts.subscribed && !facts.approved),
      step('token', facts.tokens),
      // not required if the clients have no redirect URIs, or only redirect URIs to the user's own device
      ...(facts.clients > 0 && !facts.redirects ? [] : [step('https', facts.https)]),
      step('second-factor', facts.factorLevel > 0),
    ];
    return { steps, complete: steps.every(({ done }) => done), away, clientId: facts.clientId };
  },
);

// Keys, secrets, rights and certificate authorities that expire.

// Certificates of authorities, from files that settings name. After they expire, connections fail.

type TrustAnchor = Entry<'trust-anchor', 'name' | 'setting'>;

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const MOST_BYTES = 1_000_000;
/**
 * Maximum number of certificates in a file that is checked. A larger file is the system's list of
 * authorities, which a package maintains.
 */
const MOST_ANCHORS = 20;
/** Milliseconds after its expiry from which a certificate is treated as unused. */
const ENDED_MS = 30 * 86_400_000;

/** A file that cannot be read is logged. The connection that needs the file reports the details. */
async function readTrustAnchors(): Promise<TrustAnchor[]> {
  const anchorLists = await Promise.all(
    trustedFiles().map(async ({ setting, file }) => {
      try {
        const text = (await readFile(file, 'utf8')).slice(0, MOST_BYTES);
        const pemBlocks = text.match(PEM) ?? [];
        return pemBlocks.length > MOST_ANCHORS ? [] : pemBlocks.map((pem) => anchorOf(setting, pem));
      } catch (error) {
        log().warn({ setting, reason: (error as Error).message }, 'certificates could not be read');
        return [];
      }
    }),
  );
  const since = now().getTime() - ENDED_MS;
  return anchorLists.flat().filter(({ at }) => at.getTime() > since);
}

function anchorOf(setting: string, pem: string): TrustAnchor {
  const { subject, validToDate, fingerprint256 } = new X509Certificate(pem);
  const name = /^(?:CN|O)=(.+)$/m.exec(subject)?.[1] ?? subject.split('\n')[0] ?? '';
  const id = sha256(`trust-anchor\n${setting}\n${fingerprint256}`).toString('base64url').slice(0, 22);
  return { kind: 'trust-anchor', id, at: validToDate, name, setting };
}

// Lists everything that expires: for administrators in the whole service, for developers in their own applications.

const MOST_DAYS = 366;
const DAYS = 90;
const MOST_EXPIRING = 500;
const DAY_MS = 86_400_000;

const text = z.string().optional();
const expiring = z.strictObject({
  id: z.string().describe('the same in every list'),
  at: z.date().describe('the first one, if there are several'),
  kind: z.enum([
    'secret',
    'delegations',
    'allowances',
    'invitations',
    'registrations',
    'key',
    'trust-anchor',
  ]),
  count: z.int().optional(),
  clientId: text,
  clientName: text,
  apiId: text,
  apiName: text,
  authMethodId: text,
  methodName: text,
  what: z.enum(['begins', 'leaves', 'replaced', 'overdue']).optional().describe('of a key'),
  kid: text,
  alg: text,
  name: text.describe('of a certificate authority'),
  setting: text.describe('the variable that contains its file name'),
});
type AnyEntry = z.output<typeof expiring>;
/** Entry of one kind, in which the members `Names` are required. */
type Entry<Kind extends AnyEntry['kind'], Names extends keyof AnyEntry> = Pick<AnyEntry, 'id' | 'at'> & {
  kind: Kind;
} & { [Name in Names]-?: NonNullable<AnyEntry[Name]> };
export type Expiring =
  | Entry<'secret', 'clientId' | 'clientName'>
  | Entry<'delegations' | 'allowances', 'clientId' | 'clientName' | 'apiId' | 'apiName' | 'count'>
  | Entry<'invitations' | 'registrations', 'authMethodId' | 'methodName' | 'count'>
  | Entry<'key', 'what' | 'kid' | 'alg'>
  | TrustAnchor;

const expiringFilter = z.strictObject({
  own: flag.optional().describe('only of your own clients; default: all that you can see'),
  days: z.coerce.number().int().min(1).max(MOST_DAYS).default(DAYS),
});
type ExpiringAsked = Change<z.output<typeof expiringFilter> & { most: number }>;

/** `own`: only objects of the actor's applications. Missing: everything that the actor can see. */
export const listExpiring = operation(
  // the actor's own applications, or all applications
  {
    name: 'listExpiring',
    right: ['keys.read', 'clients.see-own'],
    shape: expiringFilter,
    output: wholeList('Expiring', expiring),
  },
  async (
    { actor, db },
    { own = !mayDo(actor, 'keys.read'), days = DAYS, most = MOST_EXPIRING }: ExpiringAsked,
  ): Promise<Expiring[]> => {
    requireAction(actor, own ? 'clients.see-own' : 'keys.read');
    const filter = { days: Math.min(days, MOST_DAYS), most: Math.min(most, MOST_EXPIRING) };
    if (own) return rowsOf(db, { ...filter, ownerId: requirePerson(actor).id });
    const [rows, keys, anchors] = await Promise.all([
      rowsOf(db, { ...filter, ownerId: null }),
      keysEnding(actor, filter.days),
      readTrustAnchors(),
    ]);
    const until = now().getTime() + filter.days * DAY_MS;
    const ending = anchors.filter(({ at }) => at.getTime() < until);
    return [...rows, ...keys, ...ending]
      .sort((a, b) => a.at.getTime() - b.at.getTime())
      .slice(0, filter.most);
  },
);

const expiringId = (...parts: readonly (string | null)[]): string =>
  sha256(parts.join('\n')).toString('base64url').slice(0, 22);

async function rowsOf(db: Db, filter: Parameters<typeof selectExpiring>[1]): Promise<Expiring[]> {
  return (await selectExpiring(db, filter)).map(toExpiring);
}

function toExpiring(row: ExpiringRow): Expiring {
  const { kind, at, count, clientId, clientName, apiId, apiName, authMethodId, methodName, ref } = row;
  const ofClient = { clientId: clientId ?? '', clientName: clientName ?? '' };
  // a count covers one day, so the id of the entry stays the same if the count changes
  const day = at.toISOString().slice(0, 10);
  switch (kind) {
    case 'secret':
      return { kind, id: expiringId(kind, ref), at, ...ofClient };
    case 'delegations':
    case 'allowances':
      return {
        kind,
        id: expiringId(kind, clientId, apiId, day),
        at,
        count,
        ...ofClient,
        apiId: apiId ?? '',
        apiName: apiName ?? '',
      };
    default:
      return {
        kind,
        id: expiringId(kind, authMethodId, day),
        at,
        count,
        authMethodId: authMethodId ?? '',
        methodName: methodName ?? '',
      };
  }
}

const keysEnding = async (actor: Actor, days: number): Promise<Expiring[]> =>
  (await listSigningKeys(actor)).flatMap((key) => keyEnding(key, days));

function keyEnding({ kid, alg, state, signsFrom, retiresAt }: KeyRow, days: number): Expiring[] {
  const soon = now().getTime() + days * DAY_MS;
  const keyEntry = (what: NonNullable<AnyEntry['what']>, at: Date): Expiring[] =>
    at.getTime() > soon ? [] : [{ kind: 'key', id: expiringId('key', kid, what), at, what, kid, alg }];
  if (state === 'next') return keyEntry('begins', new Date(signsFrom));
  if (state === 'verifies' && retiresAt) return keyEntry('leaves', new Date(retiresAt));
  if (state !== 'signs' || retiresAt) return [];
  const due = new Date(new Date(signsFrom).getTime() + ROTATE_AFTER_DAYS * DAY_MS);
  return keyEntry(due.getTime() < now().getTime() - DAY_MS ? 'overdue' : 'replaced', due);
}
